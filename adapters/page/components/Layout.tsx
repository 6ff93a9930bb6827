import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ROUTES } from '../routes.ts'
import { isIsonode, offers } from '../rpc/capabilities.ts'
import { capabilities, chainId } from '../state/node.ts'
import { navigate, place, route } from '../state/router.ts'
import { moveInRows, useShortcuts } from '../state/shortcuts.ts'
import { ConnectionNotice, ConnectionState } from './ConnectionState.tsx'
import { KeyboardHelp } from './KeyboardHelp.tsx'
import { LiveRegion } from './LiveRegion.tsx'
import { SearchBox } from './SearchBox.tsx'
import { ThemeSwitch } from './ThemeSwitch.tsx'

export function Layout({ children }: { readonly children: ComponentChildren }): VNode {
  const [isHelpOpen, setHelpOpen] = useState(false)
  useShortcuts([
    { keys: '?', text: 'This list', run: () => setHelpOpen(true) },
    { keys: 'j', text: 'Next row', run: () => moveInRows(1) },
    { keys: 'k', text: 'Previous row', run: () => moveInRows(-1) },
    ...ROUTES.flatMap(({ key, label, pattern }) =>
      key === undefined ? [] : [{ keys: `g ${key}`, text: label ?? pattern, run: () => navigate(pattern) }],
    ),
  ])
  return (
    <>
      <button type="button" class="button skip" onClick={skipToMain}>
        Skip to the content
      </button>
      <Header />
      <ConnectionNotice />
      <main>{children}</main>
      <Footer onKeyboard={() => setHelpOpen(true)} />
      {isHelpOpen && <KeyboardHelp onClose={() => setHelpOpen(false)} />}
      <LiveRegion />
    </>
  )
}

/** No link, because the hash holds the route. */
function skipToMain(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}

function Header(): VNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="isonode, overview">
        isonode
      </a>
      <button
        type="button"
        class="button menu"
        aria-expanded={isOpen}
        aria-controls="nav"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav id="nav" class={isOpen ? 'open' : undefined} aria-label="Views">
        {ROUTES.filter(({ label, group }) => label && (group === undefined || offers(capabilities.value, group))).map(
          ({ pattern, label }) => (
            <a
              key={pattern}
              href={`#${pattern}`}
              aria-current={isCurrent(pattern) ? 'page' : undefined}
              onClick={() => setOpen(false)}
            >
              {label}
            </a>
          ),
        )}
      </nav>
      <SearchBox />
      <ConnectionState />
      <ThemeSwitch />
    </header>
  )
}

function isCurrent(pattern: string): boolean {
  return route.value.route.pattern === pattern && place.value.path !== ''
}

function Footer({ onKeyboard }: { readonly onKeyboard: () => void }): VNode {
  const { client } = capabilities.value
  return (
    <footer class="bottom">
      <span>
        {client === ''
          ? 'Unknown client'
          : isIsonode(capabilities.value)
            ? /isonode\/[^/]+/.exec(client)?.[0].replace('/', ' ')
            : client}
      </span>
      {chainId.value !== undefined && <span>Chain {chainId.value.toString()}</span>}
      <button type="button" class="link" onClick={onKeyboard}>
        Keyboard
      </button>
    </footer>
  )
}
