/** The Vite plugin that makes the editor add its styles as CSS rules. */
import type { Plugin } from 'vite'

const MODULE = 'style-mod/src/style-mod.js'
const REPLACEMENTS: readonly (readonly [code: string, replacement: string])[] = [
  // Once the empty element is in the page, it has a style sheet to which rules can be added.
  [
    'this.styleTag = doc.createElement("style")',
    'this.styleTag = root.head.insertBefore(doc.createElement("style"), root.head.firstChild); this.sheet = this.styleTag.sheet',
  ],
  [
    'if (sheet) {\n      if (root.adoptedStyleSheets',
    'if (sheet) {\n      if (!this.styleTag && root.adoptedStyleSheets',
  ],
]

/**
 * Creates the plugin. CodeMirror's style-mod writes styles as the text of a style element, which the content security
 * policy rejects. In shadow roots, style-mod adds the styles as rules; with these replacements, it does the same in the
 * page. The build fails if an upgrade has changed the replaced code.
 */
export function createEditorStylesPlugin() {
  return {
    name: 'editor-styles-as-rules',
    apply: 'build',
    transform(code: string, id: string): string | null {
      if (!id.endsWith(MODULE)) return null
      return REPLACEMENTS.reduce((text, [before, after]) => {
        if (!text.includes(before)) throw new Error(`${MODULE} no longer contains ${before}`)
        return text.replace(before, after)
      }, code)
    },
  } satisfies Plugin
}
