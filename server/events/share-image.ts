/**
 * Renders an event's share image: title, dates and place, on the event's colour.
 * Each variant is rendered once; the URL contains a hash of the content, so it can be cached permanently.
 */
import { hash } from 'node:crypto'
import path from 'node:path'
import type * as Resvg from '@resvg/resvg-js'
import {
  escapeHtml,
  formatDays,
  computeThemeColors,
  LOGO_PATHS,
  memoize,
} from '../../engine/index.ts'
import type { EventConfig } from '../../engine/index.ts'
import { importLazily } from '../ops/lazy-import.ts'

const loadResvg = importLazily<typeof Resvg>('@resvg/resvg-js')

/** Large enough for all link previews. */
export const SHARE_IMAGE_SIZE = { width: 1200, height: 630 } as const
const MARGIN = 72
/**
 * Characters of the display font per line, by font size in pixels; the first size that fits the title in two
 * lines is used.
 */
const TITLE_SIZES: readonly (readonly [pixels: number, characters: number])[] = [
  [96, 22],
  [76, 28],
  [60, 36],
  [48, 45],
]
const MAX_TITLE_LINES = 2
const MAX_TEXT_CHARACTERS = 62

const FONTS = path.join(import.meta.dirname, 'fonts')
const FONT_OPTIONS = {
  // Both fonts of the web app, in the format that the renderer reads.
  fontFiles: ['rollcall-display.ttf', 'rollcall-text.ttf'].map((file) => path.join(FONTS, file)),
  // A title in an Indian script uses the machine's fonts.
  loadSystemFonts: true,
  defaultFontFamily: 'Anek Latin Medium',
}

/** Returns the path of an event's image on the server. */
export function getShareImageUrl(event: EventConfig): string {
  return `/api/events/${event.id}/picture.${getShareImage(event).hash}.png`
}

/** Returns the PNG with that hash; null if the event's content has changed. */
export async function getShareImageBytes(
  event: EventConfig,
  requestedHash: string,
): Promise<Buffer | null> {
  const image = getShareImage(event)
  return image.hash === requestedHash ? await image.bytes() : null
}

const getShareImage = memoize((event: EventConfig) => {
  const svg = renderSvg(event)
  let bytes: Promise<Buffer> | null = null
  return {
    hash: hash('sha256', svg, 'hex').slice(0, 16),
    /** Renders the image on the first request, in a thread of the pool. */
    bytes: (): Promise<Buffer> => {
      bytes ??= loadResvg()
        .renderAsync(svg, { font: FONT_OPTIONS })
        .then((image) => image.asPng())
      return bytes
    },
  }
})

function renderSvg(event: EventConfig): string {
  const { width, height } = SHARE_IMAGE_SIZE
  const { band, onBand } = computeThemeColors(event.look.colour)
  const { size, lines } = splitTitle(event.title)
  const renderText = (y: number, pixels: number, content: string, family: string): string =>
    `<text x="${MARGIN}" y="${y}" font-family="${family}" font-size="${pixels}">${escapeHtml(content)}</text>`
  const top = 190 + size
  const titleEnd = top + (lines.length - 1) * size * 1.08
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<rect width="${width}" height="${height - 132}" fill="${band}"/>`,
    `<g fill="${onBand}">`,
    renderText(120, 34, 'Registration', 'Anek Latin Medium'),
    ...lines.map((line, index) =>
      renderText(top + index * size * 1.08, size, line, 'Newsreader 16pt'),
    ),
    event.theme === undefined
      ? ''
      : renderText(
          titleEnd + 58,
          34,
          truncate(event.theme, MAX_TEXT_CHARACTERS),
          'Anek Latin Medium',
        ),
    '</g>',
    '<g fill="#162330">',
    renderText(
      height - 52,
      38,
      truncate(`${formatDays(event.from, event.to)}, ${event.venue}`, MAX_TEXT_CHARACTERS),
      'Anek Latin Medium',
    ),
    '</g>',
    `<g transform="translate(${width - MARGIN - 72} ${height - 102}) scale(2.8)" fill="none" stroke-linecap="round" stroke-linejoin="round">`,
    `<path d="${LOGO_PATHS.square}" stroke="#162330" stroke-width="1.8"/>`,
    `<path d="${LOGO_PATHS.tick}" stroke="#1050ac" stroke-width="3"/>`,
    '</g></svg>',
  ].join('')
}

/** Breaks a title into at most two lines, in the largest size that fits. */
function splitTitle(title: string): { readonly size: number; readonly lines: readonly string[] } {
  for (const [size, characters] of TITLE_SIZES) {
    const lines = wrapText(title, characters)
    if (lines.length <= MAX_TITLE_LINES && lines.every((line) => line.length <= characters))
      return { size, lines }
  }
  const [size, characters] = TITLE_SIZES.at(-1) ?? [0, 0]
  const [first = '', ...rest] = wrapText(title, characters)
  return { size, lines: [first, rest.join(' ')].map((line) => truncate(line, characters)) }
}

/** Wraps a string into lines of at most this many characters; a longer word gets its own line. */
function wrapText(text: string, characters: number): readonly string[] {
  return text.split(/\s+/).reduce<readonly string[]>((lines, word) => {
    const lastLine = lines.at(-1)
    return lastLine !== undefined && lastLine.length + 1 + word.length <= characters
      ? [...lines.slice(0, -1), `${lastLine} ${word}`]
      : [...lines, word]
  }, [])
}

const truncate = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).trimEnd()}…`
