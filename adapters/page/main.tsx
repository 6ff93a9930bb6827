/**
 * Starts the explorer.
 *
 * - `rpc`: the provider, its errors, and the JSON forms of answers
 * - `state`: signals that all views share (head, connection, place, theme), and the hook that asks the node
 * - `components`: parts of views; `format`: texts of numbers, times and hex; `abi`: functions, tokens
 * - `views`: one folder for each view, loaded when it is opened; `routes.ts` lists them
 * @module
 */
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/components.css'
import './styles/table.css'
import './styles/home.css'
import './styles/block.css'
import './styles/tx.css'
import './styles/address.css'
import './styles/debug.css'
import './styles/forms.css'
import './styles/charts.css'
import './styles/console.css'
import './styles/contrast.css'
import { render } from 'preact'
import { App } from './App.tsx'
import { startClock } from './state/clock.ts'
import { startLive } from './state/live.ts'
import { startRouter } from './state/router.ts'
import { startShortcuts } from './state/shortcuts.ts'
import { applyTheme } from './state/theme.ts'

applyTheme()
startRouter()
startShortcuts()
startClock()
startLive()

const root = document.getElementById('app')
// In another task than the start of the scripts: on slow machines, both together would hold up the page.
if (root !== null) setTimeout(() => render(<App />, root))
