/**
 * The RJSF form component: RJSF's MUI theme with our own replacements.
 * Only the parts that are used are imported. The comment on each replacement states what the theme lacks;
 * docs/architecture/form.md lists them all.
 */
import { withTheme } from '@rjsf/core'
import TextWidget from '@rjsf/core/lib/components/widgets/TextWidget.js'
import TextareaWidget from '@rjsf/mui/lib/TextareaWidget/TextareaWidget.js'
import type { RegistryWidgetsType } from '@rjsf/utils'
import type { RawAnswers } from '../../../engine/index.ts'
import { ChoiceRows, YesNo } from '../fields/radio-choices.tsx'
import { TextInput, NativeSelectField, SwitchInput } from '../fields/text-select-switch-inputs.tsx'
import { FieldHint, FieldMessage, FieldLayout } from '../fields/field-layout.tsx'
import { SectionSheet } from './form-sections.tsx'
import type { LazyWidget, FieldWidget } from '../fields/choose-field-widget.ts'
import { UploadField } from '../uploads/upload-field.tsx'

const widgets = {
  line: TextWidget,
  lines: TextareaWidget,
  'yes-no': YesNo,
  switch: SwitchInput,
  file: UploadField,
  rows: ChoiceRows,
  list: NativeSelectField,
} satisfies Record<Exclude<FieldWidget, LazyWidget>, unknown>

export const Form = withTheme<RawAnswers>({
  templates: {
    BaseInputTemplate: TextInput,
    // Our schema's descriptions are for other clients; the form shows hints.
    DescriptionFieldTemplate: () => null,
    FieldHelpTemplate: FieldHint,
    FieldErrorTemplate: FieldMessage,
    FieldTemplate: FieldLayout,
    ObjectFieldTemplate: SectionSheet,
  },
  widgets: widgets as unknown as RegistryWidgetsType<RawAnswers>,
} as Parameters<typeof withTheme<RawAnswers>>[0])
