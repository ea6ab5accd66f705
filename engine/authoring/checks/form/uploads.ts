/** Checks EV509, EV510: accepted file types exist and are safe to open. */
import type { Check } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { suggestName } from '../../suggestions/nearest-name.ts'

const RISKY_EXTENSIONS = new Set([
  'html',
  'htm',
  'xhtml',
  'svg',
  'xml',
  'exe',
  'msi',
  'com',
  'scr',
  'dll',
  'js',
  'mjs',
  'vbs',
  'ps1',
  'bat',
  'cmd',
  'sh',
  'php',
  'jar',
  'apk',
  'docm',
  'xlsm',
  'zip',
  'rar',
  '7z',
])

const riskyUploadCheck: Check = {
  slug: 'risky-upload',
  severity: 'warning',
  why: 'Staff open the files that delegates upload, so files with code are a risk.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path }) =>
      (raw.accept ?? []).flatMap((extension, index): Draft[] =>
        RISKY_EXTENSIONS.has(extension)
          ? [
              {
                at: `${path}.accept.${index}`,
                message: `${extension} files can contain code`,
                help: 'ask for pdf, jpg or png',
              },
            ]
          : [],
      ),
    ),
}

/** File extensions that delegates use, other than those that can contain code. */
const KNOWN_EXTENSIONS = [
  'pdf',
  'doc',
  'docx',
  'jpg',
  'jpeg',
  'png',
  'odt',
  'rtf',
  'txt',
  'xls',
  'xlsx',
  'csv',
  'ppt',
  'pptx',
  'webp',
  'heic',
  'gif',
  'tif',
  'tiff',
  'mp4',
  'mp3',
]

const unknownFileExtensionCheck: Check = {
  slug: 'unknown-file-extension',
  severity: 'warning',
  why: 'If the extension is unknown, no delegate can upload a file.',
  find: (model) =>
    model.fields.flatMap(({ raw, path }) =>
      (raw.accept ?? []).flatMap((extension, index): Draft[] => {
        if (RISKY_EXTENSIONS.has(extension) || KNOWN_EXTENSIONS.includes(extension)) return []
        const { start, end } = model.source.place(`${path}.accept.${index}`)
        return [
          {
            at: `${path}.accept.${index}`,
            message: `\`${extension}\` is not a known file extension`,
            ...suggestName(extension, KNOWN_EXTENSIONS, [start.offset, end.offset]),
          },
        ]
      }),
    ),
}

export const uploadChecks = {
  EV509: riskyUploadCheck,
  EV510: unknownFileExtensionCheck,
}
