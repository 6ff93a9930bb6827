import { expect, it } from 'vitest'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, testClock } from '../../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'

/** Writes one byte at an offset. */
const writeAt = (offset: number): Uint8Array => hexToBytes(`0x6001630${offset.toString(16).padStart(7, '0')}5300`)

it('limits every message to 256 MiB of memory, regardless of its gas', async () => {
  const evm = await loadTestNativeEvm(testClock)
  const run = async (offset: number) => {
    const state = new MemoryState()
    state.setCode(CONTRACT, writeAt(offset))
    state.beginTransaction()
    return runMessage(evm, messageTo(CONTRACT, { gas: 2n ** 62n }), environmentOf(), state)
  }
  for (let round = 0; round < 2; round++) {
    expect(await run(0x400_0000)).toMatchObject({ outcome: 'success' })
    await expect(run(0xfff_ffff)).rejects.toMatchObject({ details: { code: 'EXECUTION_OUT_OF_MEMORY' } })
  }
})
