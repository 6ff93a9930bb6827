import type { VNode } from 'preact'
import { setTheme, THEMES, theme } from '../state/theme.ts'
import { Icon } from './Icon.tsx'

/** Goes through: as the system, light, dark. */
export function ThemeSwitch(): VNode {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system'
  const name = `Colours: ${theme.value}. Change to ${next}`
  return (
    <button type="button" class="copy" aria-label={name} title={name} onClick={() => setTheme(next)}>
      <Icon name={theme.value} />
    </button>
  )
}
