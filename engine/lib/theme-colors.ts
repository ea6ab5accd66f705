/** Derives an event's theme colours from its base colour, in OKLCH (Ottosson). */
import { assert } from './result.ts'

type ThemeColors = {
  readonly band: string
  readonly onBand: string
  readonly accent: string
  readonly tint: string
  readonly line: string
}
type Lch = { readonly l: number; readonly c: number; readonly h: number }
type Rgb = readonly [number, number, number]

const WHITE = '#FFFFFF'
const DARK_TEXT = '#162330'
const PAGE_BACKGROUND = '#F4F8FA'
// WCAG AA requires 4.5. The accent has a margin, because it is rounded to whole bytes afterwards.
const MIN_TEXT_CONTRAST = 4.5
const MIN_ACCENT_CONTRAST = 4.6

/**
 * Returns the theme; all colours are `#RRGGBB`. `accent` is readable on `tint` and on the page
 * background, `onBand` on `band`.
 */
export function computeThemeColors(colour: string): ThemeColors {
  const { l, c, h } = toLch(parseColour(colour))
  const band = chooseBandColour({ l: Math.min(Math.max(l, 0.42), 0.86), c: Math.min(c, 0.17), h })
  const tint = formatHex(clipToGamut({ l: 0.972, c: Math.min(0.22 * c, 0.024), h }))
  const line = formatHex(clipToGamut({ l: 0.86, c: Math.min(0.5 * c, 0.07), h }))
  return {
    band,
    onBand: computeContrast(WHITE, band) >= MIN_TEXT_CONTRAST ? WHITE : DARK_TEXT,
    accent: chooseAccentColour(tint, { l: Math.min(l, 0.52), c: Math.min(c, 0.13), h }),
    tint,
    line,
  }
}

/** Returns the WCAG contrast of two colours, 1 to 21. */
export function computeContrast(first: string, second: string): number {
  const [a, b] = [computeLuminance(parseColour(first)), computeLuminance(parseColour(second))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

// On a few medium colours neither white nor dark text is readable, so they are darkened until white text is.
function chooseBandColour(start: Lch): string {
  const band = formatHex(clipToGamut(start))
  return computeContrast(WHITE, band) >= MIN_TEXT_CONTRAST ||
    computeContrast(DARK_TEXT, band) >= MIN_TEXT_CONTRAST
    ? band
    : chooseBandColour({ ...start, l: start.l - 0.005 })
}

function chooseAccentColour(tint: string, start: Lch): string {
  for (let l = start.l; l > 0; l -= 0.005) {
    const accent = formatHex(clipToGamut({ ...start, l }))
    if (
      computeContrast(accent, tint) >= MIN_ACCENT_CONTRAST &&
      computeContrast(accent, PAGE_BACKGROUND) >= MIN_ACCENT_CONTRAST
    )
      return accent
  }
  return DARK_TEXT
}

function parseColour(colour: string): Rgb {
  assert(/^#[0-9a-f]{6}$/i.test(colour), `${colour} is not a colour`)
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255) as unknown as Rgb
}

function formatHex(rgb: Rgb): string {
  return `#${rgb
    .map((part) =>
      Math.round(Math.min(Math.max(part, 0), 1) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`.toUpperCase()
}

const toLinear = (part: number): number =>
  part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
const fromLinear = (part: number): number =>
  part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055

function computeLuminance(rgb: Rgb): number {
  const [r, g, b] = [toLinear(rgb[0]), toLinear(rgb[1]), toLinear(rgb[2])]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function toLch(rgb: Rgb): Lch {
  const [r, g, b] = [toLinear(rgb[0]), toLinear(rgb[1]), toLinear(rgb[2])]
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
  const aAxis = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const bAxis = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return { l, c: Math.hypot(aAxis, bAxis), h: Math.atan2(bAxis, aAxis) }
}

function toRgb({ l, c, h }: Lch): Rgb {
  const aAxis = c * Math.cos(h)
  const bAxis = c * Math.sin(h)
  const long = (l + 0.3963377774 * aAxis + 0.2158037573 * bAxis) ** 3
  const medium = (l - 0.1055613458 * aAxis - 0.0638541728 * bAxis) ** 3
  const short = (l - 0.0894841775 * aAxis - 1.291485548 * bAxis) ** 3
  return [
    fromLinear(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ]
}

/** Reduces the chroma until the colour is within sRGB. */
function clipToGamut(colour: Lch): Rgb {
  const rgb = toRgb(colour)
  const isInGamut = rgb.every((part) => part >= -1e-4 && part <= 1 + 1e-4)
  return isInGamut || colour.c <= 0
    ? rgb
    : clipToGamut({ ...colour, c: Math.max(0, colour.c - 0.002) })
}
