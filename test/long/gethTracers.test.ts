/**
 * The tests of go-ethereum's own tracers, with its tracers in JavaScript. They are part of its source: a checkout is
 * expected in `$GETH_SOURCE` (default .cache/go-ethereum).
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { scriptEngine } from '../../adapters/server/scriptEngine.ts'
import { selectTracer } from '../../src/tracing/tracers.ts'
import { TEST_CLOCK } from '../support/chains/testChain.ts'
import { loadTestEvm } from '../support/evm/testEvm.ts'
import { needsTool } from '../support/host/needs.ts'
import { gethTracerTests, traceGethTest } from '../support/recorded/gethTracerTests.ts'

const tracers = path.join(path.resolve(process.env['GETH_SOURCE'] ?? '.cache/go-ethereum'), 'eth/tracers')
const scripts = path.join(tracers, 'js/internal/tracers')
const tests = path.join(tracers, 'internal/tracetest/testdata')

/** Folders of tests, with the name of a built-in tracer or the file of one in JavaScript. */
const FOLDERS = {
  call_tracer: 'callTracer',
  call_tracer_withLog: 'callTracer',
  call_tracer_flat: 'flatCallTracer',
  prestate_tracer: 'prestateTracer',
  prestate_tracer_with_diff_mode: 'prestateTracer',
  call_tracer_legacy: 'call_tracer_legacy.js',
  prestate_tracer_legacy: 'prestate_tracer_legacy.js',
}

/** Values of members that go-ethereum's comparison does not tell from absent ones. */
const ZERO_VALUES: readonly unknown[] = [null, '0x', '0x0', `0x${'0'.repeat(40)}`]

/** Members that depend on the block of the transaction, which the tests do not give. */
const PLACE_MEMBERS = new Set(['blockHash', 'blockNumber', 'transactionHash', 'transactionPosition'])

/** Reads a result as go-ethereum's tests do: into structures, whose members have zero values when they are absent. */
function structureOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structureOf)
  if (typeof value === 'string') return value.toLowerCase()
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([key]) => !PLACE_MEMBERS.has(key))
  const structure = members.map(([key, member]) => [key, structureOf(member)] as const)
  return Object.fromEntries(structure.filter(([, member]) => !isZero(member)))
}

function isZero(value: unknown): boolean {
  return ZERO_VALUES.includes(value) || (isObject(value) && Object.keys(value).length === 0)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sourceOf = (tracer: string): string =>
  tracer.endsWith('.js') ? readFileSync(path.join(scripts, tracer), 'utf8').replaceAll(/^\/\/.*$/gm, '') : tracer

describe("go-ethereum's tests of tracers", needsTool("go-ethereum's source", existsSync(tests)), async () => {
  const evm = await loadTestEvm(TEST_CLOCK)
  for (const [folder, tracer] of existsSync(tests) ? Object.entries(FOLDERS) : []) {
    it.each(gethTracerTests(path.join(tests, folder)))(`${folder}/%s`, async (_, test) => {
      const { tracerConfig, result } = test
      const selection = selectTracer(
        { tracer: sourceOf(tracer), tracerConfig },
        { profile: 'geth', jsTracers: true },
        scriptEngine,
      )
      const traced = await traceGethTest(test, evm, selection)
      expect(structureOf(traced)).toEqual(structureOf(result))
    })
  }
})
