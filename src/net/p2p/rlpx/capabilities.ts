/** A protocol over RLPx, such as `eth/68`. */
export interface Capability {
  /** ASCII, at most 8 characters */
  readonly name: string
  readonly version: number
}

/** A capability that this node speaks. */
export interface OfferedCapability extends Capability {
  /** Number of its message codes. */
  readonly length: number
}

/** A capability that both sides speak, with its range of message codes on the connection. */
export interface AgreedCapability extends OfferedCapability {
  /** Message code of its code 0. */
  readonly offset: number
}

/** Codes below belong to the p2p protocol itself. */
export const FIRST_CAPABILITY_CODE = 0x10

/**
 * Chooses the highest version of each name that both sides speak. Both compute the same ranges of codes: in the order of
 * the names, without gaps.
 * @see devp2p, rlpx.md, "Capability Messaging"
 */
export function agreeCapabilities(
  offered: readonly OfferedCapability[],
  remote: readonly Capability[],
): readonly AgreedCapability[] {
  const newestByName = new Map<string, OfferedCapability>()
  for (const capability of offered) {
    const { name, version } = capability
    if (!remote.some((other) => other.name === name && other.version === version)) continue
    if (version > (newestByName.get(name)?.version ?? -1)) newestByName.set(name, capability)
  }
  const agreed: AgreedCapability[] = []
  let offset = FIRST_CAPABILITY_CODE
  // Names are ASCII, so the order of UTF-16 units is that of the bytes.
  for (const capability of [...newestByName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    agreed.push({ ...capability, offset })
    offset += capability.length
  }
  return agreed
}

/** @returns undefined when the code is in no range */
export function capabilityOfCode(agreed: readonly AgreedCapability[], code: number): AgreedCapability | undefined {
  return agreed.find(({ offset, length }) => code >= offset && code < offset + length)
}
