/**
 * Starts the built program with the command lines recorded from Besu: it starts where Besu does and ends with status 1 where
 * Besu ends, except for the reasoned differences below.
 *
 *   node test/conformance/commandLines.mjs [--only TEXT]
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const root = path.resolve(import.meta.dirname, '../..')
const conformance = process.env.ISONODE_CONFORMANCE ?? path.resolve(root, '../shared/conformance')
const record = path.join(conformance, 'besu/cli/transcript-cli.json')
const START_LIMIT_MS = 30_000

/** Parts of command lines with another meaning than in Besu. */
const DIFFERENCES = {
  'too large or too small a number is an error, although Besu ignores it': [
    '--rpc-http-port=70000',
    '--max-peers=-1',
    '--tx-pool-max-size=0',
    '--fast-sync-min-peers=-1',
    '--min-block-occupancy-ratio=2',
  ],
  'an option without a value is an error': ['--identity='],
  'a genesis file without a consensus engine is one of proof of work': ['--genesis-file=noengine.json'],
  'the part is not built': [
    '--static-nodes-file=static-bad',
    '--genesis-file=ibft.json --miner-stratum-enabled',
    '--genesis-file=qbft-transmode.json',
  ],
}

function reasonOf(line) {
  return Object.entries(DIFFERENCES).find(([, parts]) => parts.some((part) => line.includes(part)))?.[0]
}

/** @returns whether the node started, its exit status when it ended by itself, and its first message */
function start(args, cwd, index) {
  const isCommand = args[0]?.startsWith('-') !== true
  const more = isCommand ? [] : [`--data-path=data${index}`, '--p2p-port=25995']
  const child = spawn(process.execPath, [path.join(root, 'dist/server.js'), ...args, ...more], { cwd })
  let printed = ''
  let isStarted = false
  child.stdout.on('data', (chunk) => {
    printed += chunk
    if (isCommand || !/^isonode v/m.test(printed)) return
    isStarted = true
    child.kill('SIGKILL')
  })
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ isStarted, code, message: printed.split('\n')[0] })
    })
  })
}

if (!existsSync(record)) {
  console.log(`skipped: ${record} does not exist`)
  process.exit(0)
}
const { files, starts } = JSON.parse(readFileSync(record, 'utf8'))
const folder = mkdtempSync(path.join(tmpdir(), 'isonode-command-lines-'))
for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)

const counts = { equal: 0, reasoned: 0, different: 0 }
for (const [index, { args, started, stderr }] of starts.entries()) {
  const line = args.join(' ')
  if (!line.includes(values.only)) continue
  const { isStarted, code, message } = await start(args, folder, index)
  const isEqual = isStarted === started && (started || code === 1)
  const reason = isEqual ? undefined : reasonOf(line)
  counts[isEqual ? 'equal' : reason === undefined ? 'different' : 'reasoned']++
  if (isEqual) continue
  console.log(`${reason === undefined ? 'DIFFERENT' : reason}: ${line}`)
  if (reason === undefined) console.log(`  Besu: ${started ? 'starts' : stderr[0]}\n  ours: ${code} ${message}`)
}
rmSync(folder, { recursive: true, force: true })
console.log(`${counts.equal} equal, ${counts.reasoned} reasoned differences, ${counts.different} others`)
process.exitCode = counts.different === 0 ? 0 : 1
