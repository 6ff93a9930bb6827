/** Attributes the time of an import to stages, based on the CPU profiles of its threads. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { selfTimes } from './cpuProfile.mjs'

/**
 * The outermost function on the stack that belongs to a stage determines it: a state read within execution counts as
 * execution. retryMisses may wrap any of them.
 */
const STAGES = [
  ['sender recovery', /recovery|secp256k1/i],
  ['index of terms', /^src\/chain\/termIndex\//],
  ['execution', /^src\/(chain\/transition|evm)\/|@ethereumjs\/evm/],
  ['checks', /^src\/(chain\/validation|consensus)\//],
  ['trie and state commit', /^src\/(trie|state)\//],
  ['store commit', /^src\/storage\/(?!retryMisses)|lmdb/],
  ['records and index', /^src\/chain\/(blockWrites|blockRecord|blockStore)\.ts/],
  ['decoding', /^src\/(types|rlp)\/|^src\/chain\/preparedBlock\.ts/],
]
const SPECIAL = { '(idle)': 'waiting', '(garbage collector)': 'garbage collection' }

const sources = new Map()

/** Start of each module in a bundled file; the bundler writes its path above it. */
function modulesOf(url) {
  const known = sources.get(url)
  if (known !== undefined) return known
  const starts = []
  readFileSync(fileURLToPath(url), 'utf8')
    .split('\n')
    .forEach((text, line) => {
      const match = /^\/\/ ((?:src|adapters)\/\S+\.ts)$/.exec(text)
      if (match !== null) starts.push({ line, file: match[1] })
    })
  sources.set(url, starts)
  return starts
}

/** The source file of a function. */
export function sourceOf({ url, lineNumber }) {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return url.replace(/^.*\/node_modules\//, '')
  return modulesOf(url).findLast(({ line }) => line <= lineNumber)?.file ?? path.basename(url)
}

function ownStage(callFrame) {
  const special = SPECIAL[callFrame.functionName]
  if (special !== undefined) return special
  const source = sourceOf(callFrame)
  return STAGES.find(([, pattern]) => pattern.test(source))?.[0]
}

/** @returns milliseconds by stage */
function stageTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const stages = new Map()
  const visit = (node, inherited) => {
    const stage = inherited ?? ownStage(node.callFrame)
    stages.set(node.id, stage ?? 'other')
    for (const child of node.children ?? []) visit(byId.get(child), stage)
  }
  visit(nodes[0], undefined)
  const times = new Map()
  samples.forEach((id, i) => {
    const stage = stages.get(id)
    times.set(stage, (times.get(stage) ?? 0) + timeDeltas[i] / 1000)
  })
  return times
}

/**
 * Reads the output of `node --cpu-prof` from a folder.
 * @returns milliseconds: of the main thread by stage and by function, and the busy time of the other threads
 */
export function importStages(folder) {
  const profiles = readdirSync(folder).map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')))
  const [main, ...others] = profiles.sort((a, b) => b.endTime - b.startTime - (a.endTime - a.startTime))
  const isBusy = ({ functionName }) => (functionName === '(idle)' ? undefined : 'busy')
  const nameOf = (callFrame) =>
    callFrame.functionName === '(idle)' ? undefined : `${callFrame.functionName} ${sourceOf(callFrame)}`
  return {
    stages: stageTimes(main),
    functions: selfTimes(main, nameOf),
    workersMs: others.reduce((sum, profile) => sum + (selfTimes(profile, isBusy).get('busy') ?? 0), 0),
  }
}
