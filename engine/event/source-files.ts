/** Event files and shared files, as text. */

export type SourceText = { readonly path: string; readonly text: string }
export type SharedFiles = {
  readonly lists: SourceText
  readonly gateways: SourceText
  readonly texts: SourceText
}
