/** Look-ups in the Domain Name System. */
export interface Dns {
  /**
   * @param name fully qualified
   * @returns the TXT records of a name, each with its parts joined; empty when it has none
   * @throws {NodeError} DNS_FAILED with the reason, such as a time-out
   */
  resolveTxt(name: string): Promise<readonly string[]>
}
