/**
 * The entries of a node record that this node knows.
 * @see EIP-778; devp2p, enr-entries/eth.md
 * @module
 */
import { bigIntToBytes, bytesToBigInt, bytesToNumber, numberToBytes } from '../../../base/primitives/bytes.ts'
import { ipText, parseIp } from '../../../base/primitives/ipAddress.ts'
import type { RlpItem } from '../../../base/primitives/rlp.ts'
import { bytesEntry, type NodeRecord, type RecordEntries } from './nodeRecord.ts'

/** Position in the schedule of forks. @see EIP-2124 */
export interface ForkId {
  /** 4 bytes */
  readonly hash: Uint8Array
  /** Block or time of the next fork; 0: none is known. */
  readonly next: bigint
}

/** Address in a node record. */
export interface RecordAddress {
  /** IPv4 or IPv6 */
  readonly host: string
  readonly udpPort?: number | undefined
  readonly tcpPort?: number | undefined
}

const FORK_HASH_BYTES = 4
const MAX_NEXT_BYTES = 8
const MAX_PORT = 65_535

/**
 * @param ip6 a second address; its ports are written only if they differ from those of the first
 * @throws {RangeError} when a host is not an IP address
 */
export function contactEntries(
  address: RecordAddress | undefined,
  forkId?: ForkId,
  ip6?: RecordAddress,
): RecordEntries {
  const entries = new Map<string, RlpItem>()
  const put = (key: string, port: number | undefined): void => {
    if (port !== undefined && port > 0) entries.set(key, numberToBytes(port))
  }
  if (address !== undefined) {
    const ip = ipBytes(address.host)
    entries.set(ip.length === 4 ? 'ip' : 'ip6', ip)
    put('udp', address.udpPort)
    put('tcp', address.tcpPort)
  }
  if (ip6 !== undefined) {
    entries.set('ip6', ipBytes(ip6.host))
    if (ip6.udpPort !== address?.udpPort) put('udp6', ip6.udpPort)
    if (ip6.tcpPort !== address?.tcpPort) put('tcp6', ip6.tcpPort)
  }
  if (forkId !== undefined) entries.set('eth', [[forkId.hash, bigIntToBytes(forkId.next)]])
  return entries
}

function ipBytes(host: string): Uint8Array {
  const ip = parseIp(host)
  if (ip === undefined) throw new RangeError(`host: not an IP address: ${host}`)
  return ip
}

/** @returns undefined when the entry is absent or not a port */
function portOf(record: NodeRecord, key: string): number | undefined {
  const bytes = bytesEntry(record, key)
  if (bytes.length === 0 || bytes.length > 2 || bytes[0] === 0) return undefined
  const port = bytesToNumber(bytes)
  return port > MAX_PORT ? undefined : port
}

/** The IPv4 address of a record, else the IPv6 one. @returns undefined when it has none */
export function recordAddress(record: NodeRecord): RecordAddress | undefined {
  const ip = bytesEntry(record, 'ip')
  if (ip.length === 4) {
    return { host: ipText(ip) as string, udpPort: portOf(record, 'udp'), tcpPort: portOf(record, 'tcp') }
  }
  const ip6 = bytesEntry(record, 'ip6')
  if (ip6.length !== 16) return undefined
  return {
    host: ipText(ip6) as string,
    udpPort: portOf(record, 'udp6') ?? portOf(record, 'udp'),
    tcpPort: portOf(record, 'tcp6') ?? portOf(record, 'tcp'),
  }
}

/** @returns undefined when the record has no valid `eth` entry; further list elements are ignored */
export function recordForkId(record: NodeRecord): ForkId | undefined {
  const entry = record.entries.get('eth')
  if (entry === undefined || entry instanceof Uint8Array) return undefined
  const [id] = entry as readonly RlpItem[]
  if (id === undefined || id instanceof Uint8Array) return undefined
  const [hash, next] = id as readonly RlpItem[]
  if (!(hash instanceof Uint8Array) || hash.length !== FORK_HASH_BYTES) return undefined
  if (!(next instanceof Uint8Array) || next.length > MAX_NEXT_BYTES) return undefined
  return { hash, next: bytesToBigInt(next) }
}
