/**
 * Kills a validator (`kill -9`) while it validates, most often just after it has sent something, and reads everything
 * that all its lives have sent.
 *
 *   node test/reliability/validatorKillLoop.mjs [--rounds 100] [--seed N]
 *
 * It never signs two different messages for one height, round and kind, and its head never falls back.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { numberOption, seededRandom } from './random.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const rounds = numberOption('rounds', 100)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)
/** A life ends at the latest after this time. */
const MAX_LIFE_MS = 20_000
/** Messages after which a life ends, at most. */
const MAX_MESSAGES = 8

// Inside of the repository, where its packages are found.
const folder = mkdtempSync(path.join(root, 'node_modules/.validator-'))
const program = path.join(folder, 'validator.mjs')
const data = path.join(folder, 'data')
await build({
  entryPoints: [path.join(root, 'test/reliability/validatorProcess.ts')],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'error',
})

const signed = new Map()
let head = 0
let sent = 0
let repeated = 0
let problem

function note(line) {
  const [first, ...rest] = line.split(' ')
  if (first === 'head') {
    const number = Number(rest[0])
    if (number < head) problem ??= `the head fell from ${head} to ${number}`
    head = number
    return
  }
  const [round, kind, content] = rest
  const view = `${first} ${round} ${kind}`
  const before = signed.get(view)
  if (before !== undefined && before !== content) problem ??= `signed twice: ${view}: ${before} and ${content}`
  if (before !== undefined) repeated++
  signed.set(view, content)
  sent++
}

/** Runs until a number of messages has been sent, then ends without warning. */
function life(messages, delayMs) {
  const child = spawn(process.execPath, [program, data], { stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_LIFE_MS)
  let left = messages
  createInterface({ input: child.stdout }).on('line', (line) => {
    note(line)
    if (!line.startsWith('head') && --left === 0) setTimeout(() => child.kill('SIGKILL'), delayMs)
  })
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (signal !== 'SIGKILL') problem ??= `the validator ended with ${code}`
      resolve()
    })
  })
}

try {
  for (let round = 0; round < rounds && problem === undefined; round++) {
    const messages = 1 + Math.floor(random() * MAX_MESSAGES)
    await life(messages, random() < 0.7 ? 0 : random() * 10)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const summary = `${rounds} kills: ${sent} messages, ${repeated} of them sent again, head ${head}`
console.log(`validator kill loop, seed ${seed}: ${problem ?? 'passed'}; ${summary}`)
process.exit(problem === undefined ? 0 : 1)
