/** The runner behind run.mjs. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { installNodeCrypto } from '../../../adapters/server/crypto/crypto.ts'
import type { SetBlock } from '../../support/recorded/publicSets.ts'
import { contradictions, differences, type SetResult } from '../../support/recorded/setExecution.ts'
import { selectedBlocks } from './selectedBlocks.ts'
import { type BlockRow, blockTable, median, summary } from './table.ts'
import type { Measured, Selection, Target } from './target.ts'
import { GethTarget } from './targets/geth.ts'
import { IsonodeTarget } from './targets/isonode.ts'
import { RevmeTarget } from './targets/revme.ts'
import { AnvilTarget, IsonodeRpcTarget } from './targets/simulate.ts'

const [root, ...args] = process.argv.slice(2) as [string, ...string[]]
const { values } = parseArgs({
  args,
  options: {
    targets: { type: 'string', default: 'isonode' },
    set: { type: 'string', default: 'mainnet' },
    only: { type: 'string', default: '' },
    megagas: { type: 'string' },
    evm: { type: 'string', default: 'native' },
    rounds: { type: 'string', default: '3' },
    sets: { type: 'string', default: process.env['ISONODE_SETS'] ?? '../shared/bench/sets' },
    geth: { type: 'string', default: 'evm' },
    revme: { type: 'string', default: 'revme' },
    anvil: { type: 'string', default: 'anvil' },
    check: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

const selection: Selection = {
  set: values.set,
  folder: path.resolve(root, values.sets),
  only: values.only,
  megagas: values.megagas === undefined ? undefined : Number(values.megagas),
}
const rounds = values.check ? 1 : Number(values.rounds)

const TARGETS: Readonly<Record<string, () => Target>> = {
  isonode: () => new IsonodeTarget(values.evm, selection, !values.check),
  geth: () => new GethTarget(values.geth),
  revme: () => new RevmeTarget(values.revme),
  anvil: () => new AnvilTarget(values.anvil, !values.check),
  'isonode-rpc': () => new IsonodeRpcTarget(path.join(root, 'dist/server.js'), values.evm, !values.check),
}

/** The target of isonode that does the same work. */
const COUNTERPARTS: Readonly<Record<string, string>> = { geth: 'isonode', revme: 'isonode', anvil: 'isonode-rpc' }

function withCounterparts(wanted: readonly string[]): string[] {
  return [...new Set(wanted.flatMap((name) => [COUNTERPARTS[name] ?? name, name]))]
}

/** The targets that can run here. */
async function startTargets(): Promise<Target[]> {
  const started: Target[] = []
  for (const name of withCounterparts(values.targets.split(','))) {
    const create = TARGETS[name]
    if (create === undefined) throw new Error(`unknown target ${name}: expected ${Object.keys(TARGETS).join(', ')}`)
    const target = create()
    const reason = await target.start()
    if (reason === undefined) started.push(target)
    else console.error(`${name} is left out: ${reason}`)
  }
  return started
}

/** The findings about one block. */
class BlockRun {
  readonly #block: SetBlock
  readonly #known: Partial<SetResult> = {}
  readonly #times = new Map<string, number[]>()
  readonly #skipped = new Map<string, string>()
  readonly #problems = new Set<string>()

  constructor(block: SetBlock) {
    this.#block = block
  }

  /** Executes the block on all targets, which alternate; the first one changes with each round. */
  async run(all: readonly Target[]): Promise<BlockRow> {
    const able: Target[] = []
    for (const target of all) {
      if (await this.#attempt(target, () => this.#open(target))) able.push(target)
    }
    for (let round = 0; round < rounds; round++) {
      for (const i of able.keys()) {
        const target = able[(i + round) % able.length] as Target
        await this.#attempt(target, async () => this.#check(target, await target.measure()))
      }
    }
    const { name, program, expected } = this.#block
    return {
      name,
      program,
      gas: this.#known.gasUsed ?? Number(expected.gasUsed ?? 0n),
      cpuMs: new Map([...this.#times].map(([target, times]) => [target, median(times)])),
      skipped: this.#skipped,
      problems: [...this.#problems],
    }
  }

  /** @returns whether the target can execute the block */
  async #open(target: Target): Promise<boolean> {
    const reason = await target.open(this.#block)
    if (reason !== undefined) this.#skipped.set(target.name, reason)
    return reason === undefined
  }

  /** Compares a result with the expected one and with those of the other targets. */
  #check({ name }: Target, { result, cpuMs }: Measured): boolean {
    const wrong = [...differences(this.#block, result), ...contradictions(this.#known, result)]
    for (const difference of wrong) this.#problems.add(`${name}: ${difference}`)
    if (wrong.length > 0) return false
    Object.assign(this.#known, result)
    this.#times.set(name, [...(this.#times.get(name) ?? []), cpuMs])
    return true
  }

  /** @returns false after an error, which becomes a problem of the block */
  async #attempt({ name }: Target, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work()
    } catch (error) {
      this.#problems.add(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      return false
    }
  }
}

function report({ name, skipped, problems }: BlockRow): string {
  const notes = [...problems, ...[...skipped].map(([target, reason]) => `${target} is left out (${reason})`)]
  return `${name}: ${problems.length === 0 ? 'equal' : 'DIFFERENT'}${notes.map((note) => `; ${note}`).join('')}`
}

function save(file: string, rows: readonly BlockRow[]): void {
  writeFileSync(
    file,
    JSON.stringify(
      rows.map((row) => ({ ...row, cpuMs: Object.fromEntries(row.cpuMs), skipped: Object.fromEntries(row.skipped) })),
    ),
  )
}

if (selection.set !== 'loops' && !existsSync(selection.folder))
  throw new Error(`no sets in ${selection.folder}: name them by --sets`)
// Recovers the senders for programs that want them.
await installNodeCrypto()
const targets = await startTargets()
const rows: BlockRow[] = []
try {
  for await (const block of selectedBlocks(selection)) {
    const row = await new BlockRun(block).run(targets)
    rows.push(row)
    console.error(report(row))
    if (values.json !== undefined) save(values.json, rows)
  }
} finally {
  await Promise.all(targets.map((target) => target.stop()))
}
const columns = targets.map(({ name }) => ({ name, comparedWith: COUNTERPARTS[name] }))
console.log(`${blockTable(rows, columns)}\n\n${summary(rows, columns)}`)
const failed = rows.filter(({ problems }) => problems.length > 0)
console.log(`\n${rows.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 && rows.length > 0 ? 0 : 1
