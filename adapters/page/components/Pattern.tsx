import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'

const GRID = 5

/**
 * A small mirrored pattern by which a reader recognises an address or a hash. It tells similar ones apart, but proves
 * nothing: it is made from some digits only.
 */
export function Pattern({ hex }: { readonly hex: string }): VNode {
  const { path, hue } = useMemo(() => patternOf(hex.toLowerCase()), [hex])
  return (
    <svg class="pattern" viewBox={`0 0 ${GRID} ${GRID}`} aria-hidden="true" focusable="false">
      <path d={path} fill={`hsl(${hue} 55% 50%)`} />
    </svg>
  )
}

/** FNV-1a over all digits, so that each digit changes the picture. */
function patternOf(hex: string): { readonly path: string; readonly hue: number } {
  let hash = 0x811c9dc5
  for (let i = 2; i < Math.min(hex.length, 130); i++) hash = Math.imul(hash ^ hex.charCodeAt(i), 0x01000193) >>> 0
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  let path = ''
  for (let i = 0; i < GRID * 3; i++) {
    if (((mixed >>> i) & 1) === 0) continue
    const [x, y] = [Math.floor(i / GRID), i % GRID]
    path += `M${x} ${y}h1v1h-1z`
    if (x < 2) path += `M${GRID - 1 - x} ${y}h1v1h-1z`
  }
  return { path, hue: hash % 360 }
}
