const ETHER_DIGITS = 18
const GWEI_DIGITS = 9

/** Smaller amounts are shown in wei. */
const LEAST_ETHER = 10n ** 9n

export function ether(wei: bigint): string {
  if (wei > 0n && wei < LEAST_ETHER) return `${wei} wei`
  return `${decimal(wei, ETHER_DIGITS)} ETH`
}

export function gwei(wei: bigint): string {
  return `${decimal(wei, GWEI_DIGITS)} gwei`
}

/** With a comma after each group of three digits. */
export function grouped(value: bigint | number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  const whole = text.slice(0, -digits)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

export function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
