/** The MUI theme of the registration form. */
import { createTheme } from '@mui/material/styles'
import type { Shadows, Theme, ThemeOptions } from '@mui/material/styles'

/** Values from theme.css that MUI needs for its computations; it cannot read custom properties. */
const INK = '#162330'
const EDGE = '#7A848F'
const BLUE = '#1050AC'

const NO_SHADOWS = Array.from({ length: 25 }, () => 'none') as unknown as Shadows

/** Ink colour for actions, lines instead of shadows, and a focus outline that is always visible. */
const THEME_OPTIONS: ThemeOptions = {
  palette: {
    mode: 'light',
    primary: { main: INK },
    error: { main: '#A91D1D' },
    success: { main: '#0E5F36' },
    warning: { main: '#7A4702' },
    info: { main: '#23538E' },
    text: { primary: INK, secondary: '#434E5B' },
    divider: '#D0D7DD',
  },
  shape: { borderRadius: 6 },
  shadows: NO_SHADOWS,
  typography: {
    fontFamily: 'inherit',
    fontSize: 17,
    htmlFontSize: 17,
    button: { textTransform: 'none', fontWeight: 600 },
  },
  components: {
    MuiButtonBase: { defaultProps: { disableRipple: true } },
    MuiInputBase: {
      // Labels do not move on autofill here. Otherwise each input would inject a style sheet to
      // detect autofill.
      defaultProps: { disableInjectingGlobalStyles: true },
      styleOverrides: {
        root: { font: 'inherit', letterSpacing: 0 },
        input: { height: 24, lineHeight: '24px', letterSpacing: 0 },
      },
    },
    MuiOutlinedInput: {
      defaultProps: { notched: false, fullWidth: true },
      styleOverrides: {
        root: {
          minHeight: 50,
          background: '#fff',
          '& fieldset': { top: 0, borderWidth: 1.5, borderColor: EDGE },
          '& legend': { display: 'none' },
          '&:hover fieldset.MuiOutlinedInput-notchedOutline': { borderColor: INK },
          '&.Mui-focused': { outline: `3px solid ${BLUE}`, outlineOffset: 1 },
          '&.Mui-focused fieldset.MuiOutlinedInput-notchedOutline': {
            borderWidth: 1.5,
            borderColor: BLUE,
          },
          '&.MuiInputBase-multiline': { padding: 0 },
        },
        input: {
          padding: '11.5px 14px',
          // The browser's yellow autofill background would look like our "pending" colour.
          '&:-webkit-autofill': {
            WebkitBoxShadow: '0 0 0 100px #fff inset',
            WebkitTextFillColor: INK,
            borderRadius: 6,
          },
          '&:focus-visible': { outline: 'none' },
          // The width includes the padding. The hidden text area that measures the height has the
          // same width.
          '&:is(textarea)': { boxSizing: 'border-box' },
        },
      },
    },
    // RJSF's theme renders text inputs and selects as text fields; the label is above, in the
    // field's template.
    MuiTextField: { defaultProps: { fullWidth: true } },
    MuiSelect: {
      styleOverrides: {
        select: {
          minHeight: 24,
          whiteSpace: 'normal',
          borderRadius: 6,
          '&:focus': { background: 'none' },
        },
        icon: { color: '#434E5B', right: 10 },
      },
    },
    MuiPaper: {
      defaultProps: { elevation: 0 },
      styleOverrides: { root: { border: '1px solid #D0D7DD' } },
    },
    MuiMenu: {
      styleOverrides: {
        paper: {
          boxShadow: 'var(--lift)',
          borderRadius: 8,
          maxWidth: 'min(680px, calc(100vw - 32px))',
        },
      },
    },
    MuiMenuItem: {
      styleOverrides: {
        root: {
          minHeight: 48,
          whiteSpace: 'normal',
          '&.Mui-selected, &.Mui-selected:hover': { background: 'var(--accent-tint)' },
          '&.Mui-focusVisible, &.Mui-selected.Mui-focusVisible': {
            outline: `3px solid ${BLUE}`,
            outlineOffset: -3,
          },
        },
      },
    },
    MuiSwitch: {
      styleOverrides: {
        root: { width: 52, height: 30, padding: 0, flex: 'none', overflow: 'visible' },
        switchBase: {
          padding: 5,
          color: EDGE,
          '&:hover': { background: 'none' },
          '&.Mui-checked': {
            transform: 'translateX(22px)',
            color: '#fff',
            '&:hover': { background: 'none' },
          },
          '&.Mui-checked + .MuiSwitch-track': { background: INK, borderColor: INK, opacity: 1 },
          '&.Mui-focusVisible + .MuiSwitch-track': {
            outline: `3px solid ${BLUE}`,
            outlineOffset: 2,
          },
        },
        thumb: { width: 20, height: 20 },
        track: {
          borderRadius: 15,
          background: '#fff',
          border: `2px solid ${EDGE}`,
          opacity: 1,
          boxSizing: 'border-box',
        },
      },
    },
    MuiRadio: {
      styleOverrides: { root: { padding: 0, '&:hover': { background: 'none' } } },
    },
  },
}

let cachedTheme: Theme | null = null
/**
 * Creates the theme on first use, because creating it at import time would delay the script.
 */
export const getMuiTheme = (): Theme => (cachedTheme ??= createTheme(THEME_OPTIONS))
