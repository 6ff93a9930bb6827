// slow: generated programs on both EVMs
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { structLogTracer } from '../../../src/tracing/structLog/structLogTracer.ts'
import { CONTRACT } from '../../support/evm/evm.ts'
import { generatedMessage, stateOf } from '../../support/evm/generatedPrograms.ts'
import { plainBesu, plainGeth } from '../../support/evm/plainStructLog.ts'
import { traceMessage } from '../../support/evm/tracedMessage.ts'

const parsed = (text: string | undefined) => JSON.parse(text as string)
const withoutError = ({ error: _, ...entry }: Record<string, unknown>) => entry

describe('struct logs agree with a tracer that copies everything at every step', () => {
  it('in the form of Besu', async () => {
    await fc.assert(
      fc.asyncProperty(generatedMessage, async ({ codes, fork, gas, creates }) => {
        const to = creates ? undefined : CONTRACT
        const input = { to, fork, gas, data: codes[1] }
        const [own, plain] = await traceMessage(
          stateOf(codes),
          input,
          structLogTracer({}, { profile: 'besu' }),
          plainBesu,
        )
        expect(parsed(own)).toEqual(parsed(plain))
      }),
      { numRuns: 300 },
    )
  })

  it('in the form of go-ethereum', async () => {
    const options = { enableMemory: true, enableReturnData: true }
    await fc.assert(
      fc.asyncProperty(generatedMessage, async ({ codes, fork, gas, creates }) => {
        const to = creates ? undefined : CONTRACT
        const input = { to, fork, gas, data: codes[1] }
        const [own, plain] = await traceMessage(
          stateOf(codes),
          input,
          structLogTracer(options, { profile: 'geth' }),
          plainGeth,
        )
        const { structLogs, ...rest } = parsed(own)
        expect({ ...rest, structLogs: structLogs.map(withoutError) }).toEqual(parsed(plain))
      }),
      { numRuns: 300 },
    )
  })
})
