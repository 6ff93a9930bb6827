/** The fuzzing loop: runs cases on both EVMs and shrinks those that differ. */
import { CountingReference, Tally } from './coverage.mjs'
import { differences, execute, prepare } from './execute.mjs'
import { generateCase } from './generator.mjs'
import { shrink } from './shrink.mjs'

const clock = { now: () => Date.now(), monotonic: () => performance.now() }

export class Fuzzer {
  reference
  outcomes = new Tally()
  #project
  #subject
  #onRun

  /**
   * @param {Awaited<ReturnType<typeof import('./project.mjs').loadProject>>} project
   * @param {import('../../src/evm/evm.ts').Evm} subject the EVM under test
   * @param {() => void} [onRun] called before every run
   */
  constructor(project, subject, onRun = () => {}) {
    this.#onRun = onRun
    this.#project = project
    this.#subject = subject
    this.reference = new CountingReference(project, clock)
  }

  /** @returns {import('./generator.mjs').FuzzCase} */
  generate(which) {
    return generateCase(this.#project, which)
  }

  /** Runs a case and includes it in the statistics. */
  async judge(fuzzCase) {
    const outcome = await this.run(fuzzCase)
    const { halt, outcome: end, thrown } = outcome.expected
    this.outcomes.add(thrown === undefined ? (halt ?? end) : 'thrown')
    return outcome
  }

  /** @returns the results of both EVMs, and the names of the differing fields */
  async run(fuzzCase) {
    this.#onRun()
    const prepared = prepare(this.#project, fuzzCase)
    const expected = await execute(prepared, this.reference, 'plain')
    const actual = await execute(prepared, this.#subject, fuzzCase.drive)
    const differs = differences(expected, actual)
    // When a frame cannot receive its value, one EVM counts no frame, the other a failed one.
    if (differs.join() === 'maxDepth' && mayOverflow(fuzzCase)) return { expected, actual, differs: [] }
    return { expected, actual, differs }
  }

  /** Finds a smaller case with the same kind of difference. */
  shrink(fuzzCase, differs) {
    const [first] = differs
    const throws = differs.includes('thrown')
    return shrink(fuzzCase, async (candidate) => {
      try {
        const found = (await this.run(candidate)).differs
        return found.includes(first) && found.includes('thrown') === throws
      } catch {
        // Tokens that others refer to were removed.
        return false
      }
    })
  }
}

/** Whether balances exceed those possible on a real chain. */
function mayOverflow({ accounts }) {
  return Object.values(accounts).some(({ balance }) => balance !== undefined && BigInt(balance) >> 255n !== 0n)
}
