/** A result that is JSON text already. A handler returns it in place of a value. */
export class TextResult {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
