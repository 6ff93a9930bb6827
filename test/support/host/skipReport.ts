import type { Reporter, TestModule } from 'vitest/node'
import { hasRecordedData } from '../recorded/conformance.ts'

/**
 * Lists skipped suites at the end of a run, with the reason. In CI, a run without the recorded data fails, so that a
 * skipped suite cannot be mistaken for a passed one.
 */
export class SkipReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => {
      const count = [...module.children.allTests('skipped')].length
      return count === 0 ? [] : [{ file: module.relativeModuleId, count }]
    })
    if (skipped.length > 0) {
      console.log(`\n${skipped.length} suites have skipped tests:`)
      for (const { file, count } of skipped) console.log(`  ${file}: ${count}`)
    }
    if (hasRecordedData) return
    console.log(
      'The recorded data are absent, so some suites ran on test/vectors alone. ISONODE_CONFORMANCE names them.',
    )
    if (process.env['CI'] !== undefined) {
      console.log('FAIL: CI needs the recorded data')
      process.exitCode = 1
    }
  }
}
