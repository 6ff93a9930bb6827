import type { NetworkName } from '../networks.ts'
import type { PublicNodes } from './publicNodes.ts'

/** A page has no peers. */
export const PUBLIC_NODES: Readonly<Partial<Record<NetworkName, PublicNodes>>> = {}
