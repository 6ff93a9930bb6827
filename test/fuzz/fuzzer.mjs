/** The loop: cases one after another, on both engines, and what differs made small. */
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

  /**
   * @param {Awaited<ReturnType<typeof import('./project.mjs').loadProject>>} project
   * @param {import('../../src/evm/engine.ts').Engine} subject the engine to be judged
   */
  constructor(project, subject) {
    this.#project = project
    this.#subject = subject
    this.reference = new CountingReference(project, clock)
  }

  /** @returns {import('./generator.mjs').FuzzCase} */
  generate(which) {
    return generateCase(this.#project, which)
  }

  /** Runs a case that counts. */
  async judge(fuzzCase) {
    const outcome = await this.run(fuzzCase)
    const { halt, outcome: end, thrown } = outcome.expected
    this.outcomes.add(thrown === undefined ? (halt ?? end) : 'thrown')
    return outcome
  }

  /** @returns what both engines say, and the names of what differs */
  async run(fuzzCase) {
    const prepared = prepare(this.#project, fuzzCase)
    const expected = await execute(prepared, this.reference, 'plain')
    const actual = await execute(prepared, this.#subject, fuzzCase.drive)
    return { expected, actual, differs: differences(expected, actual) }
  }

  /** A smaller case with the same kind of difference. */
  shrink(fuzzCase, differs) {
    const [first] = differs
    const throws = differs.includes('thrown')
    return shrink(fuzzCase, async (candidate) => {
      try {
        const found = (await this.run(candidate)).differs
        return found.includes(first) && found.includes('thrown') === throws
      } catch {
        // Tokens were taken out that others refer to.
        return false
      }
    })
  }
}
