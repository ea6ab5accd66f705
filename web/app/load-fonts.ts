/** Loads the fonts of a server-rendered form after hydration. */
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'

/**
 * Loads the fonts that the page needs, and applies them together, because each font change causes a new layout. Does
 * nothing on a page that links its style sheets.
 */
export function loadFonts(): void {
  const styleElement = document.getElementById(FONTS_ELEMENT_ID)
  if (!(styleElement instanceof HTMLStyleElement)) return
  const text = document.getElementById('root')?.textContent ?? ''
  const shownCharacters = new Set(Array.from(text, (character) => character.codePointAt(0) ?? 0))
  const faces = [...(styleElement.sheet?.cssRules ?? [])].flatMap((rule) =>
    rule instanceof CSSFontFaceRule ? createFontFace(rule.style) : [],
  )
  styleElement.remove()
  const neededFaces = faces.filter(({ unicodeRange }) => isNeeded(unicodeRange, shownCharacters))
  void Promise.allSettled(neededFaces.map((face) => face.load())).then(() =>
    // The browser loads the other fonts on demand.
    faces.forEach((face) => document.fonts.add(face)),
  )
}

function createFontFace(rule: CSSStyleDeclaration): FontFace {
  const getDescriptor = (name: string): string => rule.getPropertyValue(name)
  return new FontFace(getDescriptor('font-family').replaceAll(/["']/g, ''), getDescriptor('src'), {
    weight: getDescriptor('font-weight'),
    unicodeRange: getDescriptor('unicode-range'),
    display: 'swap',
  })
}

/** Returns whether a range contains any of the characters. The range is in CSS syntax: `U+20-7E, U+A0`. */
function isNeeded(range: string, characters: ReadonlySet<number>): boolean {
  return range.split(',').some((rangePart) => {
    const [from = NaN, to = from] = (rangePart.match(/[\da-f]+/gi) ?? []).map((hex) =>
      parseInt(hex, 16),
    )
    return [...characters].some((character) => character >= from && character <= to)
  })
}
