/**
 * Enode URLs: `enode://<node id>@<host>:<port>[?discport=<port>]`.
 * @module
 */

import { bytesToHexUnprefixed, tryHexToBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { hostPort } from '../../base/primitives/hostPort.ts'
import type { NodeContact } from './discovery/table.ts'

/** Address of a peer. */
export interface Enode {
  /** Public key, 64 bytes x ‖ y. */
  readonly id: Uint8Array
  /** IPv4 address, or IPv6 address without brackets. */
  readonly host: string
  /** TCP; 0: the peer does not listen. */
  readonly port: number
  /** UDP; 0: without discovery. */
  readonly discoveryPort: number
}

const FORM = /^enode:\/\/([^@/?#]+)@([^@/?#]+):([0-9]{1,5})(?:\?discport=([0-9]{1,5}))?$/i
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const ID = /^[0-9a-fA-F]{128}$/
const MAX_PORT = 65_535
const MAX_LENGTH = 300

/** @throws {NodeError} INVALID_ENODE_URL; ENODE_ID_INVALID when only the node id is invalid */
export function parseEnode(text: string): Enode {
  const [, id = '', host = '', portText = '', discoveryText = portText] =
    FORM.exec(text.length > MAX_LENGTH ? '' : text) ?? []
  const [port, discoveryPort] = [Number(portText), Number(discoveryText)]
  const address = addressOf(host)
  if (id === '' || address === undefined || port > MAX_PORT || discoveryPort > MAX_PORT) {
    throw new NodeError({ code: 'INVALID_ENODE_URL' }, 'parse error: not an enode URL with an IP address and a port')
  }
  const bytes = ID.test(id) ? tryHexToBytes(id) : undefined
  if (bytes === undefined) {
    throw new NodeError({ code: 'ENODE_ID_INVALID' }, 'the node id of the enode URL has no 128 hexadecimal characters')
  }
  return { id: bytes, host: address, port, discoveryPort }
}

/** Equal peers have equal texts: the id is in lower case, and the UDP port is shown only if it differs. */
export function enodeText({ id, host, port, discoveryPort }: Enode): string {
  const discovery = discoveryPort === port ? '' : `?discport=${discoveryPort}`
  return `enode://${bytesToHexUnprefixed(id)}@${hostPort({ host, port })}${discovery}`
}

export function contactOf({ id, host, port, discoveryPort }: Enode): NodeContact {
  return { id, host, tcpPort: port, udpPort: discoveryPort }
}

/** @returns undefined for a name or an invalid address */
function addressOf(host: string): string | undefined {
  if (IPV4.test(host)) return host
  if (!/^\[[0-9a-fA-F:.]+\]$/.test(host)) return undefined
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname.slice(1, -1) : undefined
}
