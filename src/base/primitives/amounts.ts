const ETHER_DIGITS = 18
const GWEI_DIGITS = 9
const ZERO = 0x30

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
  const text = String(value)
  let grouped = text.slice(-3)
  for (let end = text.length - 3; end > 0; end -= 3) grouped = `${text.slice(Math.max(0, end - 3), end)},${grouped}`
  return grouped
}

function decimal(value: bigint, digits: number): string {
  if (value === 0n) return '0'
  const text = String(value).padStart(digits + 1, '0')
  const point = text.length - digits
  let end = text.length
  while (end > point && text.charCodeAt(end - 1) === ZERO) end--
  return end === point ? text.slice(0, point) : `${text.slice(0, point)}.${text.slice(point, end)}`
}

export function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
