/** Colours of a terminal: each function returns the text in its colour. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

const same = (text: string): string => text

/** Returns all texts unchanged. */
export const plainStyle: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

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
}
