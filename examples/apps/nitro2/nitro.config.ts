export default { srcDir: 'server', compatibilityDate: '2026-11-01' }
