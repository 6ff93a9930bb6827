import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { ReadNodeHost } from '../../../src/node/readOnly/readOnlyNode.ts'
import { TEST_SENDERS } from '../chains/testChain.ts'
import { nativeModule } from '../evm/nativeModule.ts'
import type { FakeTime } from '../host/fakeTime.ts'
import { testRandom } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'

/** The host of a node that only reads, without its store. */
export async function testReadHost(time: FakeTime): Promise<Omit<ReadNodeHost, 'store'>> {
  return {
    senders: TEST_SENDERS,
    clock: time,
    timers: time,
    random: testRandom,
    yieldToHost: testYield,
    logger: silentLogger,
    platform: 'test',
    evmModule: await nativeModule,
  }
}
