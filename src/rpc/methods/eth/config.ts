import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { forkHash } from '../../../chain/forkId.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import type { ForkRules } from '../../../config/forks.ts'
import { activePrecompiles } from '../../../evm/precompiles/addresses.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
}

interface ForkConfig {
  readonly activationTime: bigint
  readonly rules: ForkRules
  readonly chainId: bigint
  readonly forkId: Uint8Array
  readonly depositContract: Uint8Array | undefined
}

interface ForkConfigs {
  readonly current: ForkConfig | undefined
  readonly next: ForkConfig | undefined
  readonly last: ForkConfig | undefined
}

/** Name, EIP, address. */
const SYSTEM_CONTRACTS: readonly (readonly [name: string, eip: number, address: string])[] = [
  ['BEACON_ROOTS_ADDRESS', 4788, '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'],
  ['CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS', 7251, '0x0000bbddc7ce488642fb579f8b00f3a590007251'],
  ['DEPOSIT_CONTRACT_ADDRESS', 6110, '0x00000000219ab540356cbb839cbe05303d7705fa'],
  ['HISTORY_STORAGE_ADDRESS', 2935, '0x0000f90827f1c53a10cb7a02335b175320002935'],
  ['WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS', 7002, '0x00000961ef480eb55e80d19ad83579a64c007002'],
]

function systemContracts({ rules, depositContract }: ForkConfig): Record<string, string> {
  const active = SYSTEM_CONTRACTS.filter(([, eip]) => rules.eips.has(eip))
  return Object.fromEntries(
    active.map(([name, eip, address]) => [
      name,
      eip === 6110 && depositContract !== undefined ? bytesToHex(depositContract) : address,
    ]),
  )
}

function forkJson(fork: ForkConfig | undefined): unknown {
  if (fork === undefined) return null
  const { blobs } = fork.rules
  return {
    activationTime: Number(fork.activationTime),
    blobSchedule:
      blobs === undefined
        ? null
        : {
            baseFeeUpdateFraction: Number(blobs.baseFeeUpdateFraction),
            max: Number(blobs.max),
            target: Number(blobs.target),
          },
    chainId: quantity(fork.chainId),
    forkId: bytesToHex(fork.forkId),
    precompiles: Object.fromEntries(
      activePrecompiles(fork.rules)
        .map(({ name, address }): [string, string] => [name, bytesToHex(address)])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    systemContracts: systemContracts(fork),
  }
}

const configResult = answerCodec<ForkConfigs>(
  { title: 'Fork configuration', type: 'object', required: ['current', 'next', 'last'] },
  ({ current, next, last }) => ({ current: forkJson(current), next: forkJson(next), last: forkJson(last) }),
)

export const config: MethodDefinition<Backend> = defineMethod({
  name: 'eth_config',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Fork configuration of the chain: current, next and last fork by time (EIP-7910).',
  params: [],
  result: result('config', configResult),
  handler: ({ chain }: Backend): ForkConfigs => {
    const { timestamp } = chain.head.header
    const times = forkTimes(chain)
    const current = times.findLast((time) => time <= timestamp)
    const next = times.find((time) => time > timestamp)
    const last = next === undefined ? undefined : times[times.length - 1]
    return { current: forkAt(chain, current), next: forkAt(chain, next), last: forkAt(chain, last) }
  },
})

/** Activation times, ascending and unique; forks active at genesis count with its time. */
function forkTimes({ config: chainConfig, genesis }: ChainReader): bigint[] {
  const times = chainConfig.options.activations.flatMap((entry) => ('time' in entry ? [entry.time] : []))
  const start = genesis.header.timestamp
  return [...new Set(times.map((time) => (time < start ? start : time)))].sort((a, b) => (a < b ? -1 : 1))
}

function forkAt(chain: ChainReader, time: bigint | undefined): ForkConfig | undefined {
  if (time === undefined) return undefined
  const { config: chainConfig, genesis } = chain
  // Forks by time follow all forks by block.
  const number = chainConfig.options.activations.reduce(
    (highest, entry) => ('block' in entry && entry.block > highest ? entry.block : highest),
    chain.head.header.number,
  )
  const point = { number, timestamp: time }
  return {
    activationTime: time,
    rules: chainConfig.rulesAt({ ...point, difficulty: 0n }),
    chainId: chainIdAfter(chainConfig, chain.head),
    forkId: forkHash(chainConfig, { hash: genesis.hash, timestamp: genesis.header.timestamp }, point),
    depositContract: chainConfig.options.depositContractAddress,
  }
}
