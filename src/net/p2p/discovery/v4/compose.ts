import type { NodeContact } from '../table.ts'
import { type Message, type Neighbor, neighborLength } from './messages.ts'
import { HEADER_BYTES, MAX_SENT_BYTES } from './packet.ts'
import { MAX_NEIGHBORS } from './rules.ts'

/** Prefixes of both lists and the expiration. */
const NEIGHBORS_OVERHEAD_BYTES = 16

/** The nodes that fit in one packet, in order. */
export function fittingNeighbors(nodes: readonly NodeContact[]): Neighbor[] {
  let space = MAX_SENT_BYTES - HEADER_BYTES - NEIGHBORS_OVERHEAD_BYTES
  const fitting: Neighbor[] = []
  for (const { id, host, udpPort, tcpPort } of nodes) {
    const neighbor = { id, host, udpPort, tcpPort }
    space -= neighborLength(neighbor)
    if (space < 0 || fitting.length === MAX_NEIGHBORS) break
    fitting.push(neighbor)
  }
  return fitting
}

/** @param self the advertised address */
export function freshPing(
  self: { readonly host: string; readonly udpPort: number; readonly tcpPort: number },
  to: NodeContact,
  expiration: number,
  enrSeq: bigint,
): Message {
  return { type: 'ping', from: self, to: { host: to.host, udpPort: to.udpPort, tcpPort: 0 }, expiration, enrSeq }
}
