/**
 * Genesis file and node keys of a new private network (`operator generate-blockchain-config`), and extra data of BFT
 * genesis files (`rlp encode`).
 * @see docs/reference/consensus-ibft-qbft.md section 12; docs/reference/cli-and-config.md section 7
 * @module
 */
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { MAX_GENERATED_NODES } from '../base/limits/limits.ts'
import { bytesToHex, EMPTY_BYTES, tryHexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { isPrivateKey, publicKeyOf, publicKeyToAddress } from '../base/primitives/secp256k1.ts'
import { encodeExtraData, initialExtraData } from '../consensus/bft/extraData.ts'
import { type BftFlavour, IBFT2, QBFT } from '../consensus/bft/flavour.ts'
import { type JsonTree, NumberText, parseJsonTree, printJsonTree } from './keepNumbers.ts'

export interface GeneratedNode {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 64 bytes */
  readonly publicKey: Uint8Array
  /** 32 bytes; undefined for a node whose public key was given */
  readonly privateKey: Uint8Array | undefined
}

export interface BlockchainConfig {
  readonly genesis: string
  readonly nodes: readonly GeneratedNode[]
}

interface Curve {
  isPrivateKey(key: Uint8Array): boolean
  /** @returns 64 bytes x ‖ y */
  publicKeyOf(privateKey: Uint8Array): Uint8Array
  /** @param key 64 bytes x ‖ y */
  isPublicKey(key: Uint8Array): boolean
}

const UNCOMPRESSED = 4

const CURVES: Readonly<Record<string, Curve>> = {
  secp256k1: {
    isPrivateKey,
    publicKeyOf,
    isPublicKey: (key) => secp256k1.utils.isValidPublicKey(Uint8Array.of(UNCOMPRESSED, ...key), false),
  },
  secp256r1: {
    isPrivateKey: (key) => p256.utils.isValidSecretKey(key),
    publicKeyOf: (key) => p256.getPublicKey(key, false).slice(1),
    isPublicKey: (key) => p256.utils.isValidPublicKey(Uint8Array.of(UNCOMPRESSED, ...key), false),
  },
}

const FLAVOURS: Readonly<Record<string, BftFlavour>> = { ibft2: IBFT2, qbft: QBFT }

export const EXTRA_DATA_TYPES: Readonly<Record<'IBFT_EXTRA_DATA' | 'QBFT_EXTRA_DATA', BftFlavour>> = {
  IBFT_EXTRA_DATA: IBFT2,
  QBFT_EXTRA_DATA: QBFT,
}

/**
 * @param text JSON with `genesis` and `blockchain.nodes`
 * @param randomBytes for private keys
 * @throws {NodeError} INVALID_BLOCKCHAIN_CONFIG
 */
export function generateBlockchainConfig(text: string, randomBytes: (length: number) => Uint8Array): BlockchainConfig {
  const root = asObject(parsed(text), 'the configuration')
  const genesis = asObject(root['genesis'] ?? {}, 'genesis')
  const nodes = asObject(asObject(root['blockchain'], 'blockchain')['nodes'], 'blockchain.nodes')
  const config = withLowerKeys(asObject(genesis['config'] ?? {}, 'genesis.config'))
  const curve = curveOf(config['eccurve'])
  const generated = nodes['generate'] === true ? newNodes(nodes['count'], curve, randomBytes) : givenNodes(nodes, curve)
  const kind = Object.keys(FLAVOURS).find((name) => config[name] !== undefined && config[name] !== null)
  const flavour = kind === undefined ? undefined : FLAVOURS[kind]
  const addresses = generated.map(({ address }) => address)
  const document = flavour === undefined ? genesis : { ...genesis, extraData: genesisExtraData(addresses, flavour) }
  return { genesis: printJsonTree(document), nodes: generated }
}

/**
 * @param text JSON array of addresses
 * @returns hex
 * @throws {NodeError} INVALID_BLOCKCHAIN_CONFIG
 */
export function encodeAddresses(text: string, flavour: BftFlavour): string {
  const list = parsed(text)
  if (!Array.isArray(list)) throw invalid(`expected a JSON array of addresses, got ${describe(list)}`)
  const addresses = list.map((item: JsonTree) => {
    const bytes = typeof item === 'string' ? tryHexToBytes(item) : undefined
    if (bytes?.length === 20) return bytes
    throw invalid(`${describe(item)} is not an address`)
  })
  return genesisExtraData(addresses, flavour)
}

function genesisExtraData(addresses: readonly Uint8Array[], flavour: BftFlavour): string {
  return bytesToHex(encodeExtraData(initialExtraData(addresses, EMPTY_BYTES), flavour))
}

function newNodes(
  count: JsonTree | undefined,
  curve: Curve,
  randomBytes: (length: number) => Uint8Array,
): GeneratedNode[] {
  const length = count instanceof NumberText && /^\d{1,9}$/.test(count.text) ? Number(count.text) : Number.NaN
  if (!(length <= MAX_GENERATED_NODES)) {
    throw invalid(`blockchain.nodes.count must be a number of at most ${MAX_GENERATED_NODES}, not ${describe(count)}`)
  }
  return Array.from({ length }, () => {
    let privateKey = randomBytes(32)
    while (!curve.isPrivateKey(privateKey)) privateKey = randomBytes(32)
    return { ...nodeOf(curve.publicKeyOf(privateKey)), privateKey }
  })
}

function givenNodes({ keys }: Readonly<Record<string, JsonTree>>, curve: Curve): GeneratedNode[] {
  if (!Array.isArray(keys)) throw invalid('blockchain.nodes needs "generate": true with a count, or a list of keys')
  if (keys.length > MAX_GENERATED_NODES)
    throw invalid(`blockchain.nodes.keys has more than ${MAX_GENERATED_NODES} keys`)
  const seen = new Set<string>()
  return keys.map((item: JsonTree) => {
    const key = typeof item === 'string' ? tryHexToBytes(item) : undefined
    if (key?.length !== 64 || !curve.isPublicKey(key)) throw invalid(`${describe(item)} is not a public key`)
    if (seen.size === seen.add(bytesToHex(key)).size) throw invalid(`the public key ${describe(item)} is listed twice`)
    return { ...nodeOf(key), privateKey: undefined }
  })
}

function nodeOf(publicKey: Uint8Array): Omit<GeneratedNode, 'privateKey'> {
  return { address: publicKeyToAddress(publicKey), publicKey }
}

function curveOf(name: JsonTree | undefined): Curve {
  const curve = name === undefined || name === null ? CURVES['secp256k1'] : CURVES[String(name)]
  if (curve !== undefined) return curve
  throw invalid(`genesis.config.ecCurve must be ${Object.keys(CURVES).join(' or ')}, not ${describe(name)}`)
}

function parsed(text: string): JsonTree {
  try {
    return parseJsonTree(text)
  } catch (cause) {
    throw invalid(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

function asObject(tree: JsonTree | undefined, name: string): Readonly<Record<string, JsonTree>> {
  const isObject = typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof NumberText)
  if (!isObject) throw invalid(`${name} must be an object`)
  return tree as Readonly<Record<string, JsonTree>>
}

function withLowerKeys(object: Readonly<Record<string, JsonTree>>): Record<string, JsonTree> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]))
}

function describe(value: JsonTree | undefined): string {
  return value === undefined ? 'nothing' : printJsonTree(value).slice(0, 80)
}

function invalid(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_BLOCKCHAIN_CONFIG' }, reason)
}
