import { describe, expect, it } from 'vitest'
import { bytesToHexUnprefixed, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { eip3155Tracer } from '../../../src/tracing/structLog/eip3155.ts'
import { MemoryState } from '../../support/chains/memoryState.ts'
import { CONTRACT, SENDER } from '../../support/evm/evm.ts'
import { type MessageToTrace, traceMessage } from '../../support/evm/tracedMessage.ts'

const OTHER = hexToBytes('0x4000000000000000000000000000000000000004')

async function linesOf(code: string, message: Partial<MessageToTrace> = {}, showsMemory = true): Promise<string[]> {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 20n)
  state.setCode(CONTRACT, hexToBytes(code))
  state.setCode(OTHER, hexToBytes('60aa60005360016000f3'))
  let now = 0
  const monotonic = (): number => {
    now += 1.5
    return now
  }
  const [text] = await traceMessage(state, { to: CONTRACT, ...message }, eip3155Tracer({ showsMemory, monotonic }))
  expect(text?.endsWith('\n')).toBe(true)
  return (text as string).slice(0, -1).split('\n')
}

describe('EIP-3155 lines', () => {
  /** The example of the EIP, without members that changed over time: return stack, and null and empty members. */
  it('match the example of the EIP', async () => {
    const memory = `"memory":"0x${'00'.repeat(64)}40${'00'.repeat(31)}",`
    const returned = 'f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b'
    const after = `"memory":"0x${returned}${'00'.repeat(32)}40${'00'.repeat(31)}",`
    const data = `"returnData":"0x${returned}",`
    const line = (pc: number, op: number, gas: string, cost: string, rest: string, name: string): string =>
      `{"pc":${pc},"op":${op},"gas":"0x${gas}","gasCost":"0x${cost}",${rest}"depth":1,"refund":0,"opName":"${name}"}`
    const stack = (...words: string[]): string => `"stack":[${words.map((word) => `"0x${word}"`).join()}],`
    const lines = await linesOf('604080536040604055604060006040600060025afa6040f3', {
      gas: 10_000_000_000n,
      fork: 'istanbul',
    })
    expect(lines).toEqual([
      line(0, 96, '2540be400', '3', `"memSize":0,${stack()}`, 'PUSH1'),
      line(2, 128, '2540be3fd', '3', `"memSize":0,${stack('40')}`, 'DUP1'),
      line(3, 83, '2540be3fa', 'c', `"memSize":0,${stack('40', '40')}`, 'MSTORE8'),
      line(4, 96, '2540be3ee', '3', `${memory}"memSize":96,${stack()}`, 'PUSH1'),
      line(6, 96, '2540be3eb', '3', `${memory}"memSize":96,${stack('40')}`, 'PUSH1'),
      line(8, 85, '2540be3e8', '4e20', `${memory}"memSize":96,${stack('40', '40')}`, 'SSTORE'),
      line(9, 96, '2540b95c8', '3', `${memory}"memSize":96,${stack()}`, 'PUSH1'),
      line(11, 96, '2540b95c5', '3', `${memory}"memSize":96,${stack('40')}`, 'PUSH1'),
      line(13, 96, '2540b95c2', '3', `${memory}"memSize":96,${stack('40', '0')}`, 'PUSH1'),
      line(15, 96, '2540b95bf', '3', `${memory}"memSize":96,${stack('40', '0', '40')}`, 'PUSH1'),
      line(17, 96, '2540b95bc', '3', `${memory}"memSize":96,${stack('40', '0', '40', '0')}`, 'PUSH1'),
      line(19, 90, '2540b95b9', '2', `${memory}"memSize":96,${stack('40', '0', '40', '0', '2')}`, 'GAS'),
      line(
        20,
        250,
        '2540b95b7',
        '2bc',
        `${memory}"memSize":96,${stack('40', '0', '40', '0', '2', '2540b95b7')}`,
        'STATICCALL',
      ),
      line(21, 96, '2540b92a7', '3', `${after}"memSize":96,${stack('1')}${data}`, 'PUSH1'),
      line(23, 243, '2540b92a4', '0', `${after}"memSize":96,${stack('1', '40')}${data}`, 'RETURN'),
      '{"output":"40","gasUsed":"0x515c","time":1500000}',
    ])
  })

  it('omit memory unless requested, and the implicit STOP after the code', async () => {
    expect(await linesOf('6001600052', { gas: 100_000n }, false)).toEqual([
      '{"pc":0,"op":96,"gas":"0x186a0","gasCost":"0x3","memSize":0,"stack":[],"depth":1,"refund":0,"opName":"PUSH1"}',
      '{"pc":2,"op":96,"gas":"0x1869d","gasCost":"0x3","memSize":0,"stack":["0x1"],"depth":1,"refund":0,"opName":"PUSH1"}',
      '{"pc":4,"op":82,"gas":"0x1869a","gasCost":"0x6","memSize":0,"stack":["0x1","0x0"],"depth":1,"refund":0,"opName":"MSTORE"}',
      '{"output":"","gasUsed":"0xc","time":1500000}',
    ])
    expect(await linesOf('')).toEqual(['{"output":"","gasUsed":"0x0","time":1500000}'])
    expect((await linesOf('00'))[0]).toContain('"opName":"STOP"')
  })

  it('show inline calls, refunds, halts and reverts', async () => {
    const call = `6000600060006000600073${bytesToHexUnprefixed(OTHER)}62030d40f1`
    const lines = await linesOf(`60016001556000600155${call}5050`, {}, false)
    const entries = lines.slice(0, -1).map((line) => JSON.parse(line))
    expect(entries.find(({ opName }) => opName === 'RETURN')).toMatchObject({ depth: 2 })
    expect(entries.filter(({ opName }) => opName === 'SSTORE').map(({ refund }) => refund)).toEqual([0, 19_900])
    expect(entries.at(-1)).toMatchObject({ error: 'Stack underflow', opName: 'POP' })
    const undefined_ = await linesOf('0c')
    expect(undefined_[0]).toContain('"op":12,')
    expect(undefined_[0]).toContain('"opName":"INVALID","error":"Bad instruction"}')
    expect((await linesOf('60006000fd')).at(-2)).toContain('"opName":"REVERT","error":""}')
    const reverted = await linesOf('67410a222f5c1f80e960005260086018fd')
    expect(reverted.at(-2)).toContain('"error":"A\\n\\"\\/\\\\\\u001f\u0080é"}')
    expect(reverted.at(-1)).toContain('"output":"410a222f5c1f80e9"')
  })
})
