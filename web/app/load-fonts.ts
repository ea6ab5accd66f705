/**
 * The fonts of a server-rendered form, loaded after hydration.
 * They are applied all at once, because each one causes a new layout.
 */
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'

/** Does nothing on a page that links its style sheets. */
export function wearFaces(): void {
  const held = document.getElementById(FONTS_ELEMENT_ID)
  if (!(held instanceof HTMLStyleElement)) return
  const text = document.getElementById('root')?.textContent ?? ''
  const shown = new Set(Array.from(text, (sign) => sign.codePointAt(0) ?? 0))
  const faces = [...(held.sheet?.cssRules ?? [])].flatMap((rule) =>
    rule instanceof CSSFontFaceRule ? faceOf(rule.style) : [],
  )
  held.remove()
  const needed = faces.filter(({ unicodeRange }) => covers(unicodeRange, shown))
  void Promise.allSettled(needed.map((face) => face.load())).then(() =>
    // Fonts that are not needed now are loaded by the browser on demand.
    faces.forEach((face) => document.fonts.add(face)),
  )
}

function faceOf(rule: CSSStyleDeclaration): FontFace {
  const of = (name: string): string => rule.getPropertyValue(name)
  return new FontFace(of('font-family').replaceAll(/["']/g, ''), of('src'), {
    weight: of('font-weight'),
    unicodeRange: of('unicode-range'),
    display: 'swap',
  })
}

/** @param range in CSS syntax: `U+20-7E, U+A0`. */
function covers(range: string, signs: ReadonlySet<number>): boolean {
  return range.split(',').some((part) => {
    const [from = NaN, to = from] = (part.match(/[\da-f]+/gi) ?? []).map((hex) => parseInt(hex, 16))
    return [...signs].some((sign) => sign >= from && sign <= to)
  })
}
