type Environment = Readonly<Record<string, string | undefined>>

const PROGRAMS: ReadonlySet<string> = new Set([
  'ghostty',
  'Hyper',
  'iTerm.app',
  'rio',
  'Tabby',
  'vscode',
  'WarpTerminal',
  'WezTerm',
  'zed',
])
const TERMS = /^(?:alacritty|foot|xterm-ghostty|xterm-kitty)/
/** VTE 0.50, the terminal of GNOME and others. */
const OLDEST_VTE = 5000
/** Konsole 20.12. */
const OLDEST_KONSOLE = 201_200

/**
 * Whether a terminal is known to show links (OSC 8). Within tmux and screen, which pass them on in some versions only,
 * none is known.
 */
export function showsLinks(environment: Environment): boolean {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = environment
  if (/^(?:dumb|screen|tmux)/.test(term)) return false
  return (
    PROGRAMS.has(program) ||
    TERMS.test(term) ||
    environment['WT_SESSION'] !== undefined ||
    Number(environment['VTE_VERSION'] ?? 0) >= OLDEST_VTE ||
    Number(environment['KONSOLE_VERSION'] ?? 0) >= OLDEST_KONSOLE
  )
}
