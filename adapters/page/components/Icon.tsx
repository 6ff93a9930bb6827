import type { VNode } from 'preact'

/** Outlines on a grid of 16. */
const PATHS = {
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  done: 'M3 8.5l3.5 3.5L13 4.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  previous: 'M10 3L5 8l5 5',
  next: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  warning: 'M8 2L1.5 13.5h13zM8 6.5v3.5M8 11.5v.5',
  debug: 'M5 3.5v9l8-4.5z',
  system: 'M2 3h12v8H2zM6 13.5h4',
  light:
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
} as const

export type IconName = keyof typeof PATHS

/** Decoration only: the element around it has the name. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
