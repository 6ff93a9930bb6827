/** Controls of a page that the keyboard does not reach, or that do not show their focus. */
import type { Page } from 'playwright-core'

/** More are not visited. */
const MAX_VISITED = 150

/** @returns one line for each control that Tab does not reach, or that does not show that it has the focus */
export async function keyboardFaults(page: Page): Promise<string[]> {
  const controls = await page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]',
    )
    const reachable = [...all].filter((element) => {
      const isOff = element.matches(':disabled, [type="radio"]') || element.tabIndex < 0
      return !isOff && element.checkVisibility({ visibilityProperty: true })
    })
    return reachable.map((element, i) => {
      element.dataset['control'] = String(i)
      return `${element.tagName.toLowerCase()} "${element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40)}"`
    })
  })
  const missing = new Set(controls.slice(0, MAX_VISITED).keys())
  const faults: string[] = []
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  // Controls may appear while the keyboard moves.
  for (let i = 0; i < 2 * controls.length + 20 && missing.size > 0; i++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null
      const control = element?.dataset['control']
      if (element == null || control === undefined) return undefined
      // A field may show it around itself and its icon.
      const isVisible = [element, element.parentElement ?? element].some((shown) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(shown)
        return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
      })
      return { control: Number(control), isVisible }
    })
    if (focused === undefined || !missing.delete(focused.control) || focused.isVisible) continue
    faults.push(`${controls[focused.control]} does not show its focus`)
  }
  return [...faults, ...[...missing].map((control) => `${controls[control]} is not reached`)]
}
