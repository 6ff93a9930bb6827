import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { encodedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { BlockSplitter } from '../../../src/types/blockSplitter.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { testYield } from '../../support/host/testYield.ts'
import { blockFile, openRecorded, recordedChainNamed } from '../../support/recorded/recordedChains.ts'

const LONDON = recordedChainNamed('besu/london')

describe('importRun', () => {
  const open = async () => {
    const chain = await openRecorded(LONDON, {
      scheduler: new ExecutionScheduler({ clock: TEST_CLOCK, yieldToHost: testYield }),
    })
    const blocks = new BlockSplitter().push(blockFile(LONDON)).slice(1, 3).map(decodeBlock)
    const run = await prepareBlocks(
      blocks.map((block) => encodedBlock(block, chain.consensus)),
      TEST_SENDERS,
    )
    const engine = chain.consensus.claimedBy((blocks[0] as (typeof blocks)[number]).header)
    return { chain, run, engine }
  }

  it("waits for the engine's preparation before the writer checks a seal", async () => {
    const { chain, run, engine } = await open()
    let ready = (): void => {}
    const prepare = vi.spyOn(engine as Required<typeof engine>, 'prepareSealCheck')
    prepare.mockReturnValue(
      new Promise((resolve) => {
        ready = resolve
      }),
    )
    const verify = vi.spyOn(engine, 'verifyHeader').mockReturnValue('refused here')
    const importing = chain.importRun(run)
    await nextTurn()
    expect(verify).not.toHaveBeenCalled()
    // The writer is idle meanwhile.
    expect(await chain.setHead(chain.genesis.hash)).toMatchObject({ hash: chain.genesis.hash })
    ready()
    expect(await importing).toMatchObject([{ kind: 'invalid', reason: 'refused here' }])
    expect(prepare.mock.calls.map(([{ number }]) => number)).toEqual([1n, 2n])
  })

  it('prepares nothing for seals that are not checked', async () => {
    const { chain, run, engine } = await open()
    const prepare = vi.spyOn(engine as Required<typeof engine>, 'prepareSealCheck')
    expect(await chain.importRun(run, { verifySeal: false })).toHaveLength(2)
    expect(prepare).not.toHaveBeenCalled()
  })
})
