import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { BftSettings } from '../../../src/config/bftConfig.ts'
import { parseGenesisConfig } from '../../../src/config/genesisConfig.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`

function settingsAt(section: object, block: bigint): BftSettings {
  const config = parseGenesisConfig(section, undefined).consensus.at(block)
  if (!('settings' in config)) throw new Error(config.kind)
  return config.settings
}

const hexOf = (bytes: Uint8Array | undefined): string | undefined => bytes && bytesToHex(bytes)

describe('settings of BFT engines', () => {
  it('have the documented defaults', () => {
    for (const kind of ['ibft2', 'qbft', 'ibft']) {
      expect(settingsAt({ [kind]: {} }, 0n)).toEqual({
        periodSeconds: 1,
        epochLength: 30_000,
        requestTimeoutSeconds: 1,
        messageQueueLimit: 1000,
        gossipedHistoryLimit: 1000,
        futureMessagesLimit: 1000,
        duplicateMessageLimit: 100,
        futureMessagesMaxDistance: 10,
        miningBeneficiary: undefined,
        blockReward: 0n,
        validatorContract: undefined,
        validators: undefined,
        emptyBlockPeriodSeconds: undefined,
        periodMilliseconds: undefined,
        ceilQuorumBlock: undefined,
      })
    }
  })

  it('are read', () => {
    const qbft = {
      BlockPeriodSeconds: 5,
      requesttimeoutseconds: 9,
      blockreward: '0x10',
      miningbeneficiary: A,
      xemptyblockperiodseconds: 60,
      xblockperiodmilliseconds: 250,
      validatorcontractaddress: B,
    }
    const settings = settingsAt({ qbft }, 0n)
    expect(settings).toMatchObject({
      periodSeconds: 5,
      requestTimeoutSeconds: 9,
      blockReward: 16n,
      emptyBlockPeriodSeconds: 60,
      periodMilliseconds: 250,
    })
    expect([settings.miningBeneficiary, settings.validatorContract].map(hexOf)).toEqual([A, B])
    expect(settingsAt({ ibft2: { ...qbft, blockreward: '7' } }, 0n)).toMatchObject({
      blockReward: 7n,
      validatorContract: undefined,
      periodMilliseconds: 250,
    })
    expect(settingsAt({ ibft: qbft }, 0n).periodMilliseconds).toBeUndefined()
    expect(settingsAt({ ibft: { ceil2Nby3Block: 3 } }, 0n).ceilQuorumBlock).toBe(3n)
  })

  it('change by transitions; a list of validators holds for its own transition', () => {
    const section = {
      qbft: { blockreward: '1', miningbeneficiary: A },
      transitions: {
        qbft: [
          { block: 2, validators: [A] },
          { block: 4, miningbeneficiary: '', blockperiodseconds: 3 },
          { block: 6, validatorselectionmode: 'contract', validatorcontractaddress: B },
          { block: 7, blockreward: '2' },
          { block: 8, validatorselectionmode: 'BlockHeader', validators: [B, A] },
          { block: 9, validatorselectionmode: 'nonsense' },
        ],
      },
    }
    const at = [1n, 2n, 4n, 6n, 7n, 8n, 9n].map((block) => settingsAt(section, block))
    expect(at.map(({ validators }) => validators?.map(hexOf))).toEqual([
      undefined,
      [A],
      undefined,
      undefined,
      undefined,
      [B, A],
      undefined,
    ])
    expect(at.map(({ miningBeneficiary }) => hexOf(miningBeneficiary))).toEqual([A, A, ...Array(5).fill(undefined)])
    const none = [undefined, undefined]
    expect(at.map(({ validatorContract }) => hexOf(validatorContract))).toEqual([...none, undefined, B, B, ...none])
    expect(at.map(({ blockReward }) => blockReward)).toEqual([1n, 1n, 1n, 1n, 2n, 2n, 2n])
    expect(at.map(({ periodSeconds }) => periodSeconds)).toEqual([1, 1, 3, 3, 3, 3, 3])
  })

  const invalid = (reason: string): string => `Invalid genesis block configuration, ${reason}`
  it.each([
    [{ blockperiodseconds: 0 }, [], 'Invalid property value, blockperiodseconds should be a positive integer: 0'],
    [{ epochlength: 0 }, [], 'Epoch length in config must be greater than zero'],
    [{ blockreward: 5 }, [], 'Expected string value but got number'],
    [{ blockreward: '-5' }, [], 'Bft Block reward in config cannot be negative'],
    [{ blockreward: 'x' }, [], invalid("blockreward must be a number but was 'x'")],
    [{ miningbeneficiary: '0x12' }, [], invalid('miningbeneficiary must be an address of 20 bytes but has 1')],
    [
      { validatorcontractaddress: '0x' },
      [],
      invalid('validatorcontractaddress must be an address of 20 bytes but has 0'),
    ],
    [{}, [{ block: 3, blockreward: 5 }], 'Expected string value but got number'],
    [{}, [{ block: 3, validators: 'x' }], invalid('validators must be a list of addresses, not empty')],
    [{}, [{ block: 3, validators: ['0x1'] }], invalid('validators[0] must be an address of 20 bytes but has 1')],
    [
      {},
      [{ block: 3, validatorselectionmode: 'contract' }],
      'QBFT transition has config with contract mode but no contract address',
    ],
    [
      {},
      [{ block: 3, validatorselectionmode: 'blockheader', validators: [] }],
      'QBFT transition to blockheader mode requires a validators list containing at least one validator',
    ],
  ])('%o with transitions %o: %s', (qbft, transitions, message) => {
    expect(() => settingsAt({ qbft, transitions: { qbft: transitions } }, 0n)).toThrow(
      expect.objectContaining({ code: 'INVALID_GENESIS', message }),
    )
  })
})
