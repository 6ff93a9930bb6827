/** Three nodes with private transactions, validators of QBFT or miners, as processes with an enclave each. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { vi } from 'vitest'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { toBase64 } from '../../../src/base/primitives/base64.ts'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { sortAddresses } from '../../../src/consensus/bft/addresses.ts'
import { encodeExtraData, initialExtraData } from '../../../src/consensus/bft/extraData.ts'
import { QBFT } from '../../../src/consensus/bft/flavour.ts'
import { freePorts } from '../host/ports.ts'
import { cliqueGenesis } from '../nodes/cliqueNode.ts'
import { type RunningNode, startCommand, startNode, temporaryDirectory } from '../nodes/program.ts'
import { serveEnclave } from './enclaveServer.ts'
import { enclaveKeyPair } from './enclaves.ts'
import { connectedEnclaves, ENCLAVE_KEYS } from './privateNode.ts'

export const NETWORK_CHAIN_ID = 2018

const VALIDATOR_KEYS = [1, 2, 3].map((n) => new Uint8Array(32).fill(n))
/** Sign the markers. */
const MARKER_KEYS = [0x11, 0x12, 0x13].map((n) => new Uint8Array(32).fill(n))

/** Enclaves resend once a minute at most. */
const RECOVERY_MS = 120_000

const APIS = 'ETH,NET,WEB3,ADMIN,DEBUG,TRACE,TXPOOL,MINER,QBFT,EEA,PRIV'

function genesis(engine: Record<string, unknown>, extraData: string): string {
  const alloc = Object.fromEntries(
    MARKER_KEYS.map((key) => [bytesToHex(new KeySigner(key).address), { balance: '0x3635c9adc5dea00000' }]),
  )
  const config = { chainId: NETWORK_CHAIN_ID, londonBlock: 0, zeroBaseFee: true, ...engine }
  return JSON.stringify({ ...JSON.parse(cliqueGenesis([])), config, extraData, alloc })
}

/** The members are the validators. */
function qbftGenesis(): string {
  const validators = sortAddresses(VALIDATOR_KEYS.map((key) => new KeySigner(key).address))
  const qbft = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 2 }
  return genesis({ qbft }, bytesToHex(encodeExtraData(initialExtraData(validators, EMPTY_BYTES), QBFT)))
}

/** Proof of work for `--ethash-test-mode`: a block is found as soon as the second of its parent is over. */
export function powGenesis(): string {
  return genesis({ ethash: { fixeddifficulty: 1000 } }, '0x')
}

/** Ports of the members, by which they find each other again after a restart. */
interface Ports {
  readonly nodes: readonly number[]
  readonly enclaves: readonly number[]
}

function unlockedKey(index: number): string {
  return JSON.stringify({ type: 'unlocked', data: { bytes: toBase64(enclaveKeyPair(index + 1).secretKey) } })
}

function embeddedEnclave(index: number, keyFile: string, ports: readonly number[]): string[] {
  const others = ports.filter((_, other) => other !== index)
  return [
    `--privacy-enclave-key-files=${keyFile}`,
    `--privacy-enclave-port=${ports[index]}`,
    `--privacy-enclave-peers=${others.map((port) => `http://127.0.0.1:${port}`).join(',')}`,
  ]
}

/** @throws unless each enclave knows the keys of all */
async function expectMet(members: readonly PrivateMember[], ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const info = await (await fetch(`http://127.0.0.1:${port}/partyinfo`)).text()
    if (!members.every(({ key }) => info.includes(key))) throw new Error('the enclaves do not know each other')
  }
}

export class PrivateMember {
  /** Key of its enclave, Base64. */
  readonly key: string
  readonly directory: string
  readonly #args: readonly string[]
  /** Options of its own enclave; empty for another program. */
  readonly #enclave: readonly string[]
  /** Everything that the node printed in earlier runs. */
  #printed = ''
  #node: RunningNode | undefined

  /** @param enclaveUrl undefined: the node's own enclave */
  constructor(
    index: number,
    ports: Ports,
    enclaveUrl: string | undefined,
    genesisText: string,
    more: readonly string[],
  ) {
    this.key =
      enclaveUrl === undefined ? toBase64(enclaveKeyPair(index + 1).publicKey) : (ENCLAVE_KEYS[index] as string)
    const folder = temporaryDirectory()
    this.directory = path.join(folder, 'data')
    mkdirSync(this.directory)
    const file = (name: string, content: string): string => {
      const target = path.join(folder, name)
      writeFileSync(target, content)
      return target
    }
    this.#enclave =
      enclaveUrl === undefined ? embeddedEnclave(index, file('enclave.key', unlockedKey(index)), ports.enclaves) : []
    this.#args = [
      `--genesis-file=${file('genesis.json', genesisText)}`,
      `--node-private-key-file=${file('node-key', bytesToHexUnprefixed(VALIDATOR_KEYS[index] as Uint8Array))}`,
      `--data-path=${this.directory}`,
      ...['--p2p-interface=127.0.0.1', `--p2p-port=${ports.nodes[index]}`, '--discovery-enabled=false'],
      ...[`--rpc-http-api=${APIS}`, '--graphql-http-enabled', '--graphql-http-port=0', '--min-gas-price=0'],
      '--privacy-enabled',
      ...(enclaveUrl === undefined
        ? ['--privacy-enclave=embedded', ...this.#enclave]
        : [`--privacy-url=${enclaveUrl}`, `--privacy-public-key-file=${file('enclave.pub', this.key)}`]),
      `--privacy-marker-transaction-signing-key-file=${file(
        'marker-key',
        bytesToHexUnprefixed(MARKER_KEYS[index] as Uint8Array),
      )}`,
      ...more,
    ]
  }

  get node(): RunningNode {
    if (this.#node === undefined) throw new Error('the node is not running')
    return this.#node
  }

  get printed(): string {
    return this.#printed + (this.#node?.output() ?? '')
  }

  async start(): Promise<void> {
    this.#node = await startNode(this.#args)
  }

  async end(how: 'stop' | 'kill'): Promise<void> {
    const { node } = this
    this.#printed += node.output()
    this.#node = undefined
    await node[how]()
  }

  /** Deletes the chain and the database of the enclave, which gets payloads back before the node starts. */
  async loseData(): Promise<void> {
    rmSync(this.directory, { recursive: true })
    mkdirSync(this.directory)
    const { child, ended } = startCommand([
      'enclave',
      `--data-path=${this.directory}`,
      '--rest-port=0',
      ...this.#enclave,
    ])
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: string) => (printed += chunk))
    await eventually(async () => {
      if (!printed.includes('got back sent payloads')) throw new Error(`nothing came back: ${printed}`)
    }, RECOVERY_MS)
    child.kill('SIGTERM')
    await ended
  }

  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    return this.node.rpc<T>(method, params)
  }

  async height(): Promise<number> {
    return Number(await this.rpc('eth_blockNumber'))
  }
}

export function eventually<T>(check: () => Promise<T>, timeout = 60_000): Promise<T> {
  return vi.waitFor(check, { timeout, interval: 100 })
}

export async function connect(members: readonly PrivateMember[]): Promise<void> {
  const enodes = await Promise.all(members.map((member) => member.rpc<string>('net_enode')))
  for (const [i, member] of members.entries()) {
    for (const [j, enode] of enodes.entries()) if (i !== j) await member.rpc('admin_addPeer', enode)
  }
}

export type ThreeMembers = readonly [PrivateMember, PrivateMember, PrivateMember]

/** `stub`: each next to its node, with the rules of the conformance data's stub; `embedded`: inside the nodes */
export type EnclaveKind = 'stub' | 'embedded'

/** Starts and connects three members. @param options of every node, in addition */
export async function startPrivateNetwork(
  options: readonly string[] = [],
  genesisText: string = qbftGenesis(),
  enclaves: EnclaveKind = 'stub',
): Promise<ThreeMembers> {
  const members: PrivateMember[] = []
  const ports = { nodes: await freePorts(3), enclaves: await freePorts(3) }
  for (const [index, stub] of connectedEnclaves(3).entries()) {
    const url = enclaves === 'stub' ? await serveEnclave(stub) : undefined
    members.push(new PrivateMember(index, ports, url, genesisText, options))
  }
  for (const member of members) await member.start()
  await connect(members)
  if (enclaves === 'embedded') await eventually(() => expectMet(members, ports.enclaves))
  return members as unknown as ThreeMembers
}
