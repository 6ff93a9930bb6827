import { suggestedPriorityFee } from '../../../api/gasPrices.ts'
import type { NodeInfo } from '../../../api/nodeInfo.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import { boolean, json } from '../../codecs/scalars.ts'
import type { JsonObject } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'

import { ENABLED } from '../support/parameterTexts.ts'
import { amount } from './codecs.ts'
import { type ForkBackend, forkConfig, forkedNetwork } from './fork.ts'
import { devChain, nextBaseFee, operation } from './operation.ts'

interface MetadataBackend extends ForkBackend {
  readonly chain: ChainReader
  readonly node: NodeInfo
}

interface InfoBackend extends MetadataBackend {
  readonly options: ApiOptions
}

const object = json<JsonObject>({ type: 'object' })

/** The instance changes with each start and reset, which tells Hardhat Ignition to forget its deployments. */
const metadata = (name: string): MethodDefinition<MetadataBackend> =>
  defineMethod({
    name,
    group: 'DEV',
    summary: 'Id of the chain instance, its head, and its snapshots.',
    params: [],
    result: result('metadata', object),
    handler: ({ chain, node, dev, fork }: MetadataBackend) => ({
      clientVersion: node.clientVersion,
      chainId: Number(chainIdAfter(chain.config, chain.head)),
      instanceId: bytesToHex(devChain({ dev }).metadata.instanceId),
      latestBlockNumber: Number(chain.head.header.number),
      latestBlockHash: bytesToHex(chain.head.hash),
      clientSemver:
        node.clientVersion
          .split('/')
          .find((part) => /^v[0-9]/.test(part))
          ?.slice(1) ?? '',
      clientCommitSha: '',
      forkedNetwork: forkedNetwork(fork),
      snapshots: Object.fromEntries(
        devChain({ dev }).metadata.snapshots.map(({ id, blockNumber, blockHash }) => [
          quantity(id),
          [Number(blockNumber), bytesToHex(blockHash)],
        ]),
      ),
    }),
  })

const nodeInfo: MethodDefinition<InfoBackend> = defineMethod({
  name: 'anvil_nodeInfo',
  group: 'DEV',
  summary: 'Head, fork and prices, in the format of anvil.',
  params: [],
  result: result('info', object),
  handler: (backend: InfoBackend) => {
    const { chain, options } = backend
    const { header, hash } = chain.head
    const baseFee = nextBaseFee(backend)
    return {
      currentBlockNumber: quantity(header.number),
      currentBlockTimestamp: Number(header.timestamp),
      currentBlockHash: bytesToHex(hash),
      hardFork: chain.config.rulesAt(header).name,
      transactionOrder: 'fees',
      environment: {
        baseFee: quantity(baseFee),
        chainId: Number(chainIdAfter(chain.config, chain.head)),
        gasLimit: quantity(header.gasLimit),
        gasPrice: quantity(baseFee + suggestedPriorityFee(chain, options)),
      },
      forkConfig: forkConfig(backend.fork),
    }
  },
})

const genesisTime: MethodDefinition<MetadataBackend> = defineMethod({
  name: 'anvil_getGenesisTime',
  group: 'DEV',
  summary: 'Timestamp of the genesis block.',
  params: [],
  result: result('timestamp', amount),
  handler: ({ chain }: MetadataBackend) => chain.genesis.header.timestamp,
})

export const infoMethods: readonly MethodDefinition<InfoBackend>[] = [
  metadata('anvil_metadata'),
  metadata('hardhat_metadata'),
  nodeInfo,
  genesisTime,
  ...operation({
    answersNull: ['isonode_setFailOnRevert'],
    summary:
      'Answers transactions that fail in their block with their error, as Hardhat does, or with their hash (--fail-on-revert). ' +
      'They are mined in both cases.',
    params: [param('enabled', boolean, ENABLED)],
    run: (dev, [enabled]) => {
      dev.failures.isReported = enabled
    },
  }),
  ...operation({
    answersNull: ['anvil_setLoggingEnabled'],
    answersTrue: ['hardhat_setLoggingEnabled', 'ganache_setLoggingEnabled'],
    summary: "Accepted without effect: clients cannot change the node's logging.",
    params: [param('enabled', boolean, 'Ignored.')],
    run: () => {},
  }),
]
