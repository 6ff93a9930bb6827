/**
 * The panel of the developer tools, and the same page in a tab.
 * @module
 */
import '../../page/styles/tokens.css'
import '../../page/styles/base.css'
import '../../page/styles/layout.css'
import '../../page/styles/components.css'
import './panel.css'
import { render } from 'preact'
import { Panel } from './Panel.tsx'

const root = document.getElementById('app')
if (root !== null) render(<Panel />, root)
