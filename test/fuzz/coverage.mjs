/** The reference EVM with coverage counters. */
import { NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { NAME_OF, OPCODES } from './opcodes.mjs'

/** The reference EVM, counting the opcodes it executes. */
export class CountingReference {
  name = 'reference'
  /** Executions of each opcode, indexed by its code. */
  counts = new Float64Array(256)
  #project
  #prepared = new Map()
  #curves = { bn254: new NobleBN254(), bls: new NobleBLS() }
  #clock

  constructor(project, clock) {
    this.#project = project
    this.#clock = clock
  }

  start(message, environment, state, options = {}) {
    const prepared = this.#prepare(environment)
    const run = { message, environment, state, options, prepared, curves: this.#curves, clock: this.#clock }
    return new this.#project.ReferenceExecution(run)
  }

  #prepare({ rules, chainId, contractSizeLimit }) {
    const key = `${rules.name}/${chainId}/${contractSizeLimit}`
    let prepared = this.#prepared.get(key)
    if (prepared === undefined) {
      prepared = this.#project.prepareCommon(rules, chainId, contractSizeLimit)
      this.#count(prepared.tables.opcodeMap)
      this.#prepared.set(key, prepared)
    }
    return prepared
  }

  #count(opcodeMap) {
    const { counts } = this
    for (const [code, entry] of opcodeMap.entries()) {
      if (entry === undefined) continue
      const { opHandler } = entry
      opcodeMap[code] = {
        ...entry,
        opHandler(runState, common) {
          counts[code]++
          return opHandler(runState, common)
        },
      }
    }
  }
}

/** Counts events. */
export class Tally {
  #counts = new Map()

  add(name) {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  toString() {
    const rows = [...this.#counts].sort(([, a], [, b]) => b - a)
    return rows.map(([name, count]) => `${name} ${count}`).join(', ')
  }
}

/** @param {Float64Array} counts indexed by code */
export function opcodeReport(counts) {
  const never = OPCODES.filter(({ code }) => counts[code] === 0).map(({ name }) => name)
  const rows = [...counts.keys()].filter((code) => counts[code] > 0 && NAME_OF.has(code))
  const text = rows
    .filter((code) => code < 0x60 || code > 0x9f)
    .map((code) => `${NAME_OF.get(code)} ${counts[code]}`)
    .join(', ')
  return `${rows.length} of ${OPCODES.length} opcodes ran (${text})\nnever: ${never.join(', ') || 'none'}`
}
