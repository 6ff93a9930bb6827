/**
 * Amounts of ether as decimal text.
 * @module
 */
const DECIMALS = 18
const AMOUNT = /^(\d+)(?:\.(\d{1,18}))?$/

/** @returns wei; undefined unless the text is a decimal number with at most 18 decimals */
export function parseEther(text: string): bigint | undefined {
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(DECIMALS, '0'))
}

/** Returns an amount of wei in ether, without zeros at its end. */
export function formatEther(wei: bigint): string {
  const digits = wei.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
