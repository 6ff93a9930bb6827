/** A result that already is JSON text. A handler returns it in place of a value. */
export class TextResult {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
