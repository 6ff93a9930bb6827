/** A recorded chain in memory, with the RPC methods on top of it. */

import { readFileSync } from 'node:fs'
import { TransitionCallSimulator } from '../../../src/api/calls/callSimulator.ts'
import { ContractsAccess } from '../../../src/api/contracts/access.ts'
import { type ApiOptions, DEFAULT_API_OPTIONS } from '../../../src/api/options.ts'
import type { RpcProfile } from '../../../src/api/profile.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { ExecutionModules } from '../../../src/chain/blockProcessor.ts'
import { Chain } from '../../../src/chain/chain.ts'
import { importBlocks } from '../../../src/chain/import.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { VoteIntents } from '../../../src/consensus/voteIntents.ts'
import { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import { bftAccess } from '../../../src/node/bft.ts'
import { cliqueAccess } from '../../../src/node/clique.ts'
import { usesEngine } from '../../../src/node/engineKinds.ts'
import { MaintainedPeers } from '../../../src/node/network/maintainedPeers.ts'
import type { RpcBackend } from '../../../src/rpc/backend.ts'
import { Envelope } from '../../../src/rpc/envelope.ts'
import type { ApiGroup } from '../../../src/rpc/method.ts'
import { adminMethods } from '../../../src/rpc/methods/admin/index.ts'
import { ibftMethods, qbftMethods } from '../../../src/rpc/methods/bft/index.ts'
import { cliqueMethods } from '../../../src/rpc/methods/clique/index.ts'
import { debugMethods } from '../../../src/rpc/methods/debug/index.ts'
import { ethMethods } from '../../../src/rpc/methods/eth/index.ts'
import { minerMethods } from '../../../src/rpc/methods/miner/index.ts'
import { netMethods } from '../../../src/rpc/methods/net/index.ts'
import { traceMethods } from '../../../src/rpc/methods/trace/index.ts'
import { txpoolMethods } from '../../../src/rpc/methods/txpool/index.ts'
import { web3Methods } from '../../../src/rpc/methods/web3/index.ts'
import { MethodRegistry } from '../../../src/rpc/registry.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import type { CodeSource, StateSource } from '../../../src/state/contract.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Replay } from '../../../src/tracing/replay.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../chains/testChain.ts'
import { loadTestEvm } from '../evm/testEvm.ts'
import { testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'
import { replyText } from '../rpc/replyText.ts'
import { openRpcParts } from '../rpc/rpcParts.ts'
import type { Send } from './recordedCases.ts'

export interface RecordedChainOptions {
  readonly genesisFile: string
  /** undefined: genesis only */
  readonly blocksFile?: string | undefined
  readonly forkChoiceFile?: string | undefined
  readonly networkId?: bigint | undefined
  readonly minGasPrice?: bigint | undefined
  readonly revertReasons?: boolean | undefined
  readonly profile?: RpcProfile | undefined
  readonly callTimeoutMs?: number | undefined
}

const GROUPS: readonly ApiGroup[] = ['ETH', 'NET', 'WEB3', 'DEBUG', 'MINER', 'TRACE', 'TXPOOL', 'CLIQUE']
const scheduler = new ExecutionScheduler({ clock: TEST_CLOCK, yieldToHost: testYield })

export interface RecordedChain {
  readonly chain: Chain
  readonly send: Send
  /** The interfaces below the methods. */
  readonly backend: RpcBackend
}

export async function openRecordedChain(options: RecordedChainOptions): Promise<RecordedChain> {
  const text = readFileSync(options.genesisFile, 'utf8')
  const genesis = parseGenesisFile(text, options.networkId === undefined ? {} : { networkId: options.networkId })
  const { config } = genesis
  const kv = new MemoryStore()
  const modules: ExecutionModules = {
    config,
    states: new StateStore(kv),
    evm: await loadTestEvm(TEST_CLOCK),
    consensus: createSchedule(config),
    keepRevertReasons: options.revertReasons ?? false,
  }
  const chain = await Chain.open({
    kv,
    genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    modules,
    senders: TEST_SENDERS,
    clock: TEST_CLOCK,
    logger: silentLogger,
  })
  if (options.blocksFile !== undefined) await importFile(chain, options.blocksFile)
  if (options.forkChoiceFile !== undefined) await applyForkChoice(chain, options.forkChoiceFile)
  const backend = backendOf(chain, modules, options)
  return { chain, backend, send: rpcOf(backend) }
}

/** @param file the recorded message of a consensus client */
async function applyForkChoice(chain: Chain, file: string): Promise<void> {
  const { params } = JSON.parse(readFileSync(file, 'utf8')) as { params: [Record<string, string>] }
  const hash = (name: string): Uint8Array => hexToBytes(params[0][name] ?? '')
  await chain.setForkChoice({
    head: hash('headBlockHash'),
    safe: hash('safeBlockHash'),
    finalized: hash('finalizedBlockHash'),
  })
}

async function importFile(chain: Chain, file: string): Promise<void> {
  const blocks = readBlocks([readFileSync(file)])
  const report = await importBlocks({ chain, senders: TEST_SENDERS, clock: TEST_CLOCK }, { blocks, verifySeal: false })
  if (report.end.kind !== 'done') throw new Error(`import of ${file}: ${JSON.stringify(report.end, String)}`)
}

function backendOf(chain: Chain, modules: ExecutionModules, opened: RecordedChainOptions): RpcBackend {
  const { minGasPrice = 1000n, profile = 'besu', callTimeoutMs = 20_000 } = opened
  const { config, states, evm, consensus } = modules
  const options: ApiOptions = { ...DEFAULT_API_OPTIONS, profile, callTimeoutMs }
  const callModules = { config, evm, consensus, control: { scheduler } }
  const source: StateSource & CodeSource = {
    at: ({ stateRoot }) => states.reader(requireState(stateRoot)),
    mutable: ({ stateRoot }) => states.mutable(requireState(stateRoot)),
    code: (codeHash) => states.code(codeHash),
  }
  return {
    ...openRpcParts(chain, { profile, pool: { minGasPrice } }),
    dev: undefined,
    clique: cliqueAccess(chain, consensus, new VoteIntents()),
    remote: undefined,
    bft: bftAccess({ chain, states: source, execution: callModules }, new VoteIntents()),
    chain,
    states: source,
    calls: new TransitionCallSimulator(callModules),
    tracing: new Replay({ ...callModules, chain, states: source, senders: TEST_SENDERS }),
    traceFiles: undefined,
    contracts: new ContractsAccess(undefined, () => {}),
    node: {
      clientVersion: 'isonode/test',
      networkId: config.networkId,
      network: {
        enabled: true,
        needsPeers: true,
        listening: true,
        peerCount: 0,
        local: { id: new Uint8Array(64).fill(0xab), host: '127.0.0.1', port: 30303, discoveryPort: 30303 },
      },
      isExtended: true,
      services: { jsonrpc: { host: '127.0.0.1', port: 8545 } },
      syncStatus: undefined,
      protocolVersion: 68,
    },
    peers: new MaintainedPeers(undefined),
    consensus,
    control: {
      setHead: async ({ hash }) => void (await chain.setHead(hash)),
      replayBlock: async ({ header }) => void (await chain.replayBlock(Number(header.number))),
      resyncWorldState: () => chain.forgetBadBlocks(),
    },
    options,
    timers: testTimers,
    yieldToHost: testYield,
  }
}

function rpcOf(backend: RpcBackend): Send {
  const registry = new MethodRegistry<RpcBackend>([
    ...adminMethods,
    ...(backend.clique === undefined ? [] : cliqueMethods),
    ...(usesEngine(backend.chain.config, ['ibft2']) ? ibftMethods : []),
    ...(usesEngine(backend.chain.config, ['qbft']) ? qbftMethods : []),
    ...debugMethods,
    ...ethMethods,
    ...minerMethods,
    ...netMethods,
    ...traceMethods,
    ...txpoolMethods,
    ...web3Methods,
  ])
  const served = registry.serve(GROUPS)
  const envelope = new Envelope({
    served,
    backend,
    profile: backend.options.profile,
    logger: silentLogger,
    clock: TEST_CLOCK,
    yieldToHost: testYield,
  })
  return async (body) => {
    const reply = await envelope.handle(body, new RpcRequestContext({ groups: served.groups }))
    return { status: reply.status, body: await replyText(reply) }
  }
}
