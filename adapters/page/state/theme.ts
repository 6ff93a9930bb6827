/**
 * Light, dark, or as the system says.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { readSetting, writeSetting } from './settings.ts'

export type Theme = 'system' | 'light' | 'dark'

export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

const stored = readSetting('theme')

export const theme: Signal<Theme> = signal(THEMES.find((name) => name === stored) ?? 'system')

export function setTheme(name: Theme): void {
  theme.value = name
  writeSetting('theme', name === 'system' ? undefined : name)
  applyTheme()
}

export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme.value === 'system') delete dataset['theme']
  else dataset['theme'] = theme.value
}
