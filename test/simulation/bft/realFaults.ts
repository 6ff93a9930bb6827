/**
 * Faults put into the modules of complete nodes, to verify that the simulation of whole networks finds them.
 * @module
 */
import type { ProtocolRules } from '../../../src/consensus/bft/machine/contract.ts'
import { PROTOCOLS } from '../../../src/sealing/bft/protocols.ts'
import { VoteJournal } from '../../../src/sealing/bft/voteJournal.ts'
import type { BftFault } from './faults.ts'

/** Those faults that are not mistakes in the surroundings of the abstract machine. */
export type NodeFault = Pick<BftFault, 'rules' | 'written' | 'read' | 'sendsFirst'>

/** @returns removes the fault */
export function injectIntoNodes({ rules, written, read, sendsFirst = false }: NodeFault): () => void {
  const { prototype } = VoteJournal
  const { record, load } = prototype
  prototype.record = function (height, records, protocol) {
    const kept = written === undefined ? records : records.flatMap((one) => written(one) ?? [])
    const stored = record.call(this, height, kept, protocol)
    if (!sendsFirst) return stored
    Promise.resolve(stored).catch(() => {})
  }
  prototype.load = function () {
    const remembered = load.call(this)
    return remembered && (read?.(remembered) ?? remembered)
  }
  const sound = Object.values(PROTOCOLS).map((protocol) => protocol.rules)
  if (rules !== undefined) setRules(sound.map(rules))
  return () => {
    Object.assign(prototype, { record, load })
    setRules(sound)
  }
}

function setRules(all: readonly ProtocolRules[]): void {
  for (const [i, protocol] of Object.values(PROTOCOLS).entries()) Object.assign(protocol, { rules: all[i] })
}
