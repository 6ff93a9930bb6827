import type { Reporter, TestModule } from 'vitest/node'
import type { SkipReason } from './needs.ts'

/** Tests of one file that were skipped for one reason. */
interface Skipped extends SkipReason {
  readonly file: string
  readonly count: number
}

/**
 * Lists the skipped tests at the end of a run, with the reasons. In CI a run fails in which a test was skipped because data
 * are absent, so that nobody takes it for a passed one. A run that has no recorded data says so with
 * `ISONODE_MAX_SKIPPED`, and fails when it skips more tests than that.
 */
export class SkipReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(skippedIn)
    const total = sum(skipped)
    if (total > 0) console.log(`\n${total} tests were skipped:`)
    for (const { file, count, text } of skipped) console.log(`  ${file}: ${count} (${text})`)
    const limit = process.env['ISONODE_MAX_SKIPPED']
    if (limit !== undefined && total > Number(limit)) fail(`expected at most ${limit} skipped tests, got ${total}`)
    const withoutData = sum(skipped.filter(({ absent }) => absent === 'data'))
    if (limit === undefined && process.env['CI'] !== undefined && withoutData > 0)
      fail(
        `CI needs the recorded data, which ISONODE_CONFORMANCE names: ${withoutData} tests were skipped without them`,
      )
  }
}

function skippedIn(module: TestModule): Skipped[] {
  const found = new Map<string, Skipped>()
  for (const test of module.children.allTests('skipped')) {
    const reason = test.meta().skipReason
    if (reason === undefined) continue // Not selected by this run.
    const count = (found.get(reason.text)?.count ?? 0) + 1
    found.set(reason.text, { ...reason, file: module.relativeModuleId, count })
  }
  return [...found.values()]
}

function sum(skipped: readonly Skipped[]): number {
  return skipped.reduce((total, { count }) => total + count, 0)
}

function fail(problem: string): void {
  console.log(`FAIL: ${problem}`)
  process.exitCode = 1
}
