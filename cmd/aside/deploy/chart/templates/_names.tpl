{{- define "aside.labels" -}}
app.kubernetes.io/name: aside
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "aside.rules" -}}
{{ .Values.rulesConfigMap | default (printf "%s-rules" .Release.Name) }}
{{- end }}
