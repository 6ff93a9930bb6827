/** Colours and links of a terminal: each function returns the text in its form. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
  /** @param path in the explorer, such as `tx/0x…` */
  link(path: string, text: string): string
}

const same = (text: string): string => text

/** Returns all texts unchanged. */
export const plainStyle: Style = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
  link: (_, text) => text,
}

function sequence(on: number, off: number): (text: string) => string {
  return (text) => `\x1b[${on}m${text}\x1b[${off}m`
}

export const colorStyle: Style = {
  bold: sequence(1, 22),
  dim: sequence(2, 22),
  red: sequence(31, 39),
  green: sequence(32, 39),
  yellow: sequence(33, 39),
  cyan: sequence(36, 39),
  link: (_, text) => text,
}

/**
 * The style with links to the explorer.
 * @param url of the explorer, with a slash at its end
 */
export function linkingStyle(style: Style, url: string): Style {
  // OSC 8, ended by ST.
  return { ...style, link: (path, text) => `\x1b]8;;${url}${path}\x1b\\${text}\x1b]8;;\x1b\\` }
}
